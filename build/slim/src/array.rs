//! Arrays that blocks of memory are taken from. Such a block is never freed, except for the last one.
use std::cell::UnsafeCell;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The C library maps blocks of this size one by one, and unmaps them when they are freed.
pub const LARGE: usize = 128 * 1024;

/// A block's size is in the eight bytes before it. It is aligned as they are, or more.
pub const HEADER: usize = size_of::<usize>();

#[repr(C, align(4096))]
pub struct Array<const SIZE: usize> {
    /// The end of the last block, as an offset in the array. Only one thread changes it, so it needs no locked instructions.
    pub end: AtomicUsize,
    bytes: UnsafeCell<[u8; SIZE]>,
}

// SAFETY: no two blocks overlap: only one thread takes blocks, until `close`.
unsafe impl<const SIZE: usize> Sync for Array<SIZE> {}

impl<const SIZE: usize> Array<SIZE> {
    pub const fn new() -> Self {
        Self { end: AtomicUsize::new(0), bytes: UnsafeCell::new([0; SIZE]) }
    }

    /// Takes a block from the array; null if it has no room, or if the C library must give it.
    pub fn take(&self, size: usize, align: usize) -> *mut u8 {
        let start = self.bytes.get().addr();
        let offset = (start + self.end.load(Relaxed) + HEADER).next_multiple_of(align.max(HEADER)) - start;
        if size >= LARGE || offset + size > SIZE {
            return ptr::null_mut();
        }
        self.end.store(offset + size, Relaxed);
        // SAFETY: the block and the header before it are in the array, and no other block is there.
        unsafe {
            let block = self.bytes.get().cast::<u8>().add(offset);
            block.sub(HEADER).cast::<usize>().write(size);
            block
        }
    }

    /// The offset of a block in the array; None if it is not there.
    pub fn offset_of(&self, block: *const u8) -> Option<usize> {
        let offset = block.addr().wrapping_sub(self.bytes.get().addr());
        (offset < SIZE).then_some(offset)
    }
}

/// The size of a block of an array.
///
/// # Safety
/// The block must be in an array.
pub unsafe fn size_of_block(block: *const u8) -> usize {
    unsafe { block.sub(HEADER).cast::<usize>().read() }
}
