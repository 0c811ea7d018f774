//! Memory: large pages, the amount of free memory, and the end of a process that has too little.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;

/// The exit status of a process without enough memory: that of an option that cannot be used.
const EXIT_NO_MEMORY: i32 = 2;

/// The system's allocator for a program: a failed allocation ends the process with one line about
/// its size and status 2, instead of aborting it.
pub struct ExitingAllocator;

impl ExitingAllocator {
    /// A block, or the end of the process.
    fn checked(block: *mut u8, bytes: usize) -> *mut u8 {
        if block.is_null() {
            exhausted(bytes);
        }
        block
    }
}

#[allow(unsafe_code)]
// SAFETY: the blocks are those of the system's allocator.
unsafe impl GlobalAlloc for ExitingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller guarantees; so below.
        Self::checked(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: see above.
        Self::checked(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: see above.
        Self::checked(unsafe { System.realloc(block, layout, size) }, size)
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: see above.
        unsafe { System.dealloc(block, layout) }
    }
}

/// Ends the process because this much memory cannot be allocated. Allocates nothing itself.
pub fn exhausted(bytes: usize) -> ! {
    let mebibytes = bytes as f64 / f64::from(1 << 20);
    let _ = writeln!(
        std::io::stderr(),
        "error: cannot allocate {mebibytes:.1} MiB of memory: use a smaller Hash, or allow the process more memory"
    );
    std::process::exit(EXIT_NO_MEMORY)
}

/// Requests large pages for a block with random accesses, to avoid TLB misses. Linux only: Windows
/// requires a special privilege, and macOS has no such request.
pub fn large_pages<T>(block: &[T]) {
    #[cfg(target_os = "linux")]
    {
        /// The size of a large page, in bytes.
        const LARGE_PAGE: usize = 1 << 21;
        let start = block.as_ptr().cast::<u8>();
        let skipped = start.align_offset(LARGE_PAGE);
        let bytes = size_of_val(block).saturating_sub(skipped) / LARGE_PAGE * LARGE_PAGE;
        if bytes > 0 {
            #[allow(unsafe_code)]
            // SAFETY: whole pages of the block; the advice changes nothing that can be read from
            // them.
            let _ = unsafe {
                use rustix::mm::{Advice, madvise};
                madvise(
                    start.add(skipped).cast_mut().cast(),
                    bytes,
                    Advice::LinuxHugepage,
                )
            };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = block;
}

/// The items on large pages, as far as [`large_pages`] gets them.
pub fn on_large_pages<T>(items: impl ExactSizeIterator<Item = T>) -> Vec<T> {
    let mut block = Vec::with_capacity(items.len());
    large_pages(block.spare_capacity_mut());
    block.extend(items);
    block
}

/// The memory in MiB that is available without swapping, once this process has freed `freed` MiB, which
/// it may not have written to; `None` if unknown.
#[cfg(target_os = "linux")]
pub fn free_mebibytes(freed: u64) -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    let pages = std::fs::read_to_string("/proc/self/statm").ok()?;
    let mut used = pages.split_whitespace().map(|pages| {
        let pages: u64 = pages.parse().ok()?;
        Some((pages * rustix::param::page_size() as u64) >> 20)
    });
    let (mapped, resident) = (used.next()??, used.next()??);
    let groups = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let left = left_by_groups("/sys/fs/cgroup".as_ref(), &groups);
    let free = left.map_or(kibibytes / 1024, |left| left.min(kibibytes / 1024));
    let free = free + freed.min(resident);
    // The address space (`ulimit -v`).
    let limit = rustix::process::getrlimit(rustix::process::Resource::As).current;
    Some(limit.map_or(free, |limit| {
        free.min(((limit >> 20) + freed).saturating_sub(mapped))
    }))
}

/// The memory in MiB that control groups (version 2) leave to this process, as in containers; `None`
/// without a limit. `groups`: its line `0::/GROUP`.
#[cfg(target_os = "linux")]
fn left_by_groups(root: &std::path::Path, groups: &str) -> Option<u64> {
    let group = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let folder = root.join(group);
    let folders = folder.ancestors().take_while(|at| at.starts_with(root));
    let left = folders.filter_map(|folder| {
        let read = |name| std::fs::read_to_string(folder.join(name)).ok();
        let number = |name| read(name)?.trim().parse::<u64>().ok();
        let limit = number("memory.max")?; // "max" is not a number
        let statistics = read("memory.stat")?;
        let cached = statistics.lines().filter_map(|line| {
            let bytes = line.strip_prefix("in").unwrap_or(line);
            bytes.strip_prefix("active_file ")?.parse::<u64>().ok()
        });
        let used = number("memory.current")?.saturating_sub(cached.sum());
        Some(limit.saturating_sub(used) >> 20)
    });
    left.min()
}

/// The memory in MiB that is available without swapping, once this process has freed `freed` MiB;
/// `None` if unknown.
#[cfg(windows)]
#[allow(unsafe_code)]
pub fn free_mebibytes(freed: u64) -> Option<u64> {
    use windows_sys::Win32::System::SystemInformation::{GlobalMemoryStatusEx, MEMORYSTATUSEX};
    let mut status = MEMORYSTATUSEX {
        dwLength: size_of::<MEMORYSTATUSEX>() as u32,
        ..Default::default()
    };
    // SAFETY: the structure has its length set and is only written to.
    let ok = unsafe { GlobalMemoryStatusEx(&mut status) } != 0;
    // Memory that was not written to counts as used in the page file alone.
    let free = status.ullAvailPhys.min(status.ullAvailPageFile) >> 20;
    ok.then_some(free + freed)
}

/// The memory in MiB that is available without swapping; `None` if unknown.
#[cfg(not(any(target_os = "linux", windows)))]
pub fn free_mebibytes(_freed: u64) -> Option<u64> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn control_groups_limit_the_free_memory() {
        let root = std::env::temp_dir().join(format!("nullwindow-groups-{}", std::process::id()));
        let group = root.join("pod").join("container");
        fs::create_dir_all(&group).unwrap();
        for (folder, limit, used, cached) in [
            (group.parent().unwrap(), "900", 300, 100),
            (&group, "max", 50, 0),
        ] {
            let bytes = |mebibytes: u64| (mebibytes << 20).to_string();
            let limit = limit.parse().map_or(limit.into(), bytes);
            fs::write(folder.join("memory.max"), limit + "\n").unwrap();
            fs::write(folder.join("memory.current"), bytes(used) + "\n").unwrap();
            let file = bytes(cached / 2);
            let statistics = format!("anon 7\ninactive_file {file}\nactive_file {file}\nfile 1\n");
            fs::write(folder.join("memory.stat"), statistics).unwrap();
        }
        let left = |groups| left_by_groups(&root, groups);
        assert_eq!(left("4:memory:/pod\n0::/pod/container\n"), Some(700));
        assert_eq!(
            left("0::/pod/other\n"),
            Some(700),
            "the limit is that of the pod"
        );
        assert_eq!(left("0::/\n"), None);
        assert_eq!(left("4:memory:/pod\n"), None, "version 1");
        fs::remove_dir_all(&root).unwrap();
    }
}
