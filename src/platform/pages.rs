//! Which pages the memory of this process lies in, for the log: advice for large ones may be given and not taken.

use std::fs;

/// What the system says of large pages in use, as text.
pub fn in_use() -> String {
    match fs::read_to_string("/proc/self/smaps_rollup").ok().as_deref().and_then(large) {
        Some(0) => "no large pages".into(),
        Some(kibibytes) => format!("{} MiB of this process in large pages", kibibytes >> 10),
        None => "large pages: the system does not say".into(),
    }
}

/// The KiB in large pages, from Linux's summary of a process's mappings: transparent ones and those set apart.
fn large(rollup: &str) -> Option<u64> {
    let kibibytes = |name: &str| {
        let line = rollup.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()
    };
    Some(kibibytes("AnonHugePages:")? + kibibytes("Private_Hugetlb:").unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_of_linux_is_read() {
        let rollup = "5581-7ffc ---p 00000000 00:00 0 [rollup]\nRss:  99 kB\nAnonHugePages:     65536 kB\nSwap: 0 kB\n";
        assert_eq!(large(rollup), Some(65_536));
        assert_eq!(large(&format!("{rollup}Private_Hugetlb:   4096 kB\n")), Some(69_632));
        assert_eq!(large("Rss: 99 kB"), None);
        assert_eq!(large("AnonHugePages: many kB"), None);
    }
}
