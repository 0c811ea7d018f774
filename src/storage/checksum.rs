//! SHA-256 checksums in hexadecimal.

use std::io::{self, Read};
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::platform::files;

/// The checksum of a text.
pub fn of_text(text: &str) -> String {
    hex(&Sha256::digest(text))
}

/// The checksum of a file, read in parts.
///
/// # Errors
/// If it cannot be read.
pub fn of_file(path: &Path) -> io::Result<String> {
    let (mut hash, mut file) = (Sha256::new(), files::open_regular(path)?);
    let mut buffer = vec![0; 64 << 10];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hex(&hash.finalize())),
            length => hash.update(&buffer[..length]),
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_of_empty_data_is_the_published_one() {
        let expected = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(of_text(""), expected);
    }
}
