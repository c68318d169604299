//! The heap. A call ends soon, so small blocks come from one array, and only the last one is freed: that needs no system calls and few page
//! faults. Large blocks come from the C library, which frees them, and so do all blocks when the array is full.
use crate::array::{Array, HEADER, LARGE, size_of_block};
use crate::image;
use crate::process::fail;
use libc::{MADV_POPULATE_WRITE, c_void, madvise};
use rquickjs_sys::{JSMallocFunctions, size_t};
use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr;
use std::sync::atomic::Ordering::Relaxed;

const SIZE: usize = 512 * 1024;

/// The parts of the array that every call uses, and every call with a configuration. Without a heap image, the engine's own
/// objects and the modules are here, too.
pub const EVERY_CALL: usize = if cfg!(feature = "image") { 12 * 1024 } else { 288 * 1024 };
pub const WITH_CONFIGURATION: usize = EVERY_CALL + 16 * 1024;

static ARRAY: Array<SIZE> = Array::new();

/// Gets the first pages from the kernel at once. A page fault for each takes longer. Before Linux 5.14 this does nothing.
pub fn populate(size: usize) {
    // SAFETY: the pages are inside the array, and madvise does not change their content.
    unsafe { madvise((&raw const ARRAY).cast_mut().cast(), size.min(SIZE), MADV_POPULATE_WRITE) };
}

/// From now on the C library has all new blocks. It must be called before there is a second thread.
pub fn close() {
    // No block ends there.
    ARRAY.end.store(SIZE + 1, Relaxed);
}

/// Forgets a block of the array if it is the last one.
///
/// # Safety
/// The block must be in the array, at `offset`.
unsafe fn release(block: *mut u8, offset: usize) {
    if offset + unsafe { size_of_block(block) } == ARRAY.end.load(Relaxed) {
        ARRAY.end.store(offset - HEADER, Relaxed);
    }
}

/// Changes the size of a block of the array in its place, if that is possible.
///
/// # Safety
/// The block must be in the array, at `offset`.
unsafe fn resize(block: *mut u8, offset: usize, size: usize) -> bool {
    let old = unsafe { size_of_block(block) };
    if offset + old == ARRAY.end.load(Relaxed) && size < LARGE && offset + size <= SIZE {
        ARRAY.end.store(offset + size, Relaxed);
        unsafe { block.sub(HEADER).cast::<usize>().write(size) };
        return true;
    }
    size <= old
}

/// The allocator of the Rust code.
pub struct Heap;

// SAFETY: each block is one of the array's or one of the system's, and the address tells which.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let block = ARRAY.take(layout.size(), layout.align());
        if block.is_null() { or_fail(unsafe { System.alloc(layout) }) } else { block }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        match ARRAY.offset_of(block) {
            Some(offset) => unsafe { release(block, offset) },
            None => unsafe { System.dealloc(block, layout) },
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let Some(offset) = ARRAY.offset_of(block) else {
            return or_fail(unsafe { System.realloc(block, layout, size) });
        };
        unsafe {
            if resize(block, offset, size) {
                return block;
            }
            let moved = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
            ptr::copy_nonoverlapping(block, moved, layout.size().min(size));
            moved
        }
    }
}

fn or_fail(block: *mut u8) -> *mut u8 {
    // Rust would abort.
    if block.is_null() { fail("no memory\n") } else { block }
}

/// The same for the engine.
pub static OF_ENGINE: JSMallocFunctions = JSMallocFunctions {
    js_calloc: Some(calloc),
    js_malloc: Some(malloc),
    js_free: Some(free),
    js_realloc: Some(realloc),
    js_malloc_usable_size: Some(usable_size),
};

unsafe extern "C" fn malloc(_: *mut c_void, size: size_t) -> *mut c_void {
    let block = ARRAY.take(size as usize, HEADER);
    if block.is_null() { unsafe { libc::malloc(size as usize) } } else { block.cast() }
}

unsafe extern "C" fn calloc(_: *mut c_void, count: size_t, size: size_t) -> *mut c_void {
    let Some(bytes) = (count as usize).checked_mul(size as usize) else { return ptr::null_mut() };
    let block = ARRAY.take(bytes, HEADER);
    if block.is_null() {
        return unsafe { libc::calloc(1, bytes) };
    }
    // The array has bytes of freed blocks.
    unsafe { ptr::write_bytes(block, 0, bytes) };
    block.cast()
}

unsafe extern "C" fn free(_: *mut c_void, block: *mut c_void) {
    match ARRAY.offset_of(block.cast()) {
        Some(offset) => unsafe { release(block.cast(), offset) },
        None if image::holds(block.cast()) => {}
        None => unsafe { libc::free(block) },
    }
}

unsafe extern "C" fn realloc(opaque: *mut c_void, block: *mut c_void, size: size_t) -> *mut c_void {
    if block.is_null() {
        return unsafe { malloc(opaque, size) };
    }
    let offset = ARRAY.offset_of(block.cast());
    if offset.is_none() && !image::holds(block.cast()) {
        return unsafe { libc::realloc(block, size as usize) };
    }
    unsafe {
        if offset.is_some_and(|offset| resize(block.cast(), offset, size as usize)) {
            return block;
        }
        let moved = malloc(opaque, size);
        if !moved.is_null() {
            ptr::copy_nonoverlapping::<u8>(block.cast(), moved.cast(), size_of_block(block.cast()).min(size as usize));
        }
        moved
    }
}

unsafe extern "C" fn usable_size(block: *const c_void) -> size_t {
    if ARRAY.offset_of(block.cast()).is_some() || image::holds(block.cast()) {
        return unsafe { size_of_block(block.cast()) } as size_t;
    }
    // SAFETY: the block is one of the C library's, which does not change it here.
    unsafe { libc::malloc_usable_size(block.cast_mut()) as size_t }
}
