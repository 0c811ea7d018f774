//! Verifies a proof that `nullwindow prove` has written: `check-proof FILE`.
//!
//! It has no line of the engine: the rules of the games, the solver of the leaves and the checksum
//! are its own, written to be read. `src/storage/formats.md` of the engine documents the format.
//! Prints the root, its claims, the numbers of claims and leaves, and `verified`; or the first claim
//! that does not hold. Exit status: 0 verified, 1 not verified, 2 usage error or unreadable file.

mod leaf;
mod proof;
mod rules;
mod sha256;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::{self, Read};
use std::process::{self, ExitCode};
use std::{env, thread};

use proof::Proof;

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let [file] = words.as_slice() else {
        eprintln!("usage: check-proof FILE");
        return ExitCode::from(2);
    };
    let bytes = match read(file) {
        Ok(bytes) if bytes.starts_with(proof::MAGIC) => bytes,
        Ok(_) => return unusable(file, "not a proof, or of another version"),
        Err(error) => return unusable(file, &error.to_string()),
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let checked = Proof::read(&bytes).and_then(|proof| {
        print(&proof.to_string());
        proof.check(threads)
    });
    match checked {
        Ok(leaves) => {
            print(&format!("leaves {leaves}\nverified"));
            ExitCode::SUCCESS
        }
        Err(reason) => {
            print(&format!("not verified: {reason}"));
            ExitCode::from(1)
        }
    }
}

/// Prints a text and ends the line. The reader may have closed the pipe: the exit status tells the result,
/// too. Ends the process if standard output cannot be written.
fn print(text: &str) {
    use io::Write;
    if let Err(error) = writeln!(io::stdout(), "{text}")
        && error.kind() != io::ErrorKind::BrokenPipe
    {
        eprintln!("error: standard output: {error}");
        process::exit(2);
    }
}

/// The bytes of a file: only the first ones if they are not those of a proof, and of an endless file
/// only as many as show that it is too long.
fn read(file: &str) -> io::Result<Vec<u8>> {
    let mut input = File::open(file)?;
    let mut bytes = Vec::new();
    input
        .by_ref()
        .take(proof::MAGIC.len() as u64)
        .read_to_end(&mut bytes)?;
    if bytes == proof::MAGIC {
        input
            .take(proof::MAX_BYTES as u64)
            .read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

fn unusable(file: &str, reason: &str) -> ExitCode {
    eprintln!("error: {file}: {reason}");
    ExitCode::from(2)
}
