//! The heap of glibc. Each page of it needs a page fault when it is first used. Without this module these take 5% of a call.
use libc::{M_MMAP_THRESHOLD, M_TRIM_THRESHOLD, MADV_POPULATE_WRITE, free, madvise, malloc, mallopt};

/// The heap that every call uses.
const EVERY_CALL: usize = 320 * 1024;

const PAGE: usize = 4096;

/// Gets the heap's first pages from the kernel at once. Before Linux 5.14 this does nothing.
pub fn populate() {
    // SAFETY: all pages are inside a block that was just allocated, and madvise does not change their content.
    unsafe {
        // The first option puts the block on the heap, the second keeps it there after `free`.
        mallopt(M_MMAP_THRESHOLD, 4 * EVERY_CALL as i32);
        mallopt(M_TRIM_THRESHOLD, 4 * EVERY_CALL as i32);
        let block = malloc(EVERY_CALL);
        if !block.is_null() {
            madvise(block.byte_add(block.align_offset(PAGE)), EVERY_CALL - PAGE, MADV_POPULATE_WRITE);
        }
        free(block);
    }
}
