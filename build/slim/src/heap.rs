//! The heap of glibc. A call needs most of a third of a megabyte of it. To be given that page by page, by a fault for each,
//! takes a twentieth of a call.
use libc::{M_MMAP_THRESHOLD, M_TRIM_THRESHOLD, MADV_POPULATE_WRITE, free, madvise, malloc, mallopt};

const HEAP: usize = 320 * 1024;
const PAGE: usize = 4096;

/// Takes the heap's first pages from the kernel in one go. Where that cannot be (before Linux 5.14), they come as ever.
pub fn take() {
    // SAFETY: the pages are all in a block that was just allocated, and that they are there changes nothing of what is in them.
    unsafe {
        // The block is to be of the heap, and the heap is to keep it when it is given back.
        mallopt(M_MMAP_THRESHOLD, 4 * HEAP as i32);
        mallopt(M_TRIM_THRESHOLD, 4 * HEAP as i32);
        let block = malloc(HEAP);
        if !block.is_null() {
            madvise(block.byte_add(block.align_offset(PAGE)), HEAP - PAGE, MADV_POPULATE_WRITE);
        }
        free(block);
    }
}
