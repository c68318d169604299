//! The heap image. The build runs this executable once: it starts the engine, loads the modules, and writes the engine's heap
//! to stdout. The build puts these bytes into the executable. So a call begins with the modules loaded, and the kernel copies
//! only the pages that the call changes.
use crate::Core;
use crate::array::{Array, HEADER, size_of_block};
use crate::engine::{Engine, Result, done};
use crate::heap;
use crate::one_thread::OneThread;
use libc::c_void;
use rquickjs_sys::{JS_UNDEFINED, JSContext, JSMallocFunctions, size_t};
use std::cell::{RefCell, UnsafeCell};
use std::ffi::c_int;
use std::io::{self, Write};
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;
use std::{process, ptr, slice};

/// The room for the heap. The build fails if it is too small. The executable contains all of it.
const SIZE: usize = 864 * 1024;

/// The least that the processor reads at once. In bytes.
const CACHE_LINE: usize = 64;

#[repr(C, align(4096))]
struct Image {
    /// The build finds the image by it.
    magic: [u8; 16],
    /// The engine's context is null until the build has put the image into the executable.
    core: Core,
    /// The part of the heap with the core's module.
    modules: Range<usize>,
    heap: Array<SIZE>,
}

static IMAGE: OneThread<UnsafeCell<Image>> = OneThread(UnsafeCell::new(Image {
    magic: *b"cni-wrappers-img",
    core: Core { engine: Engine(ptr::null_mut()), machine: JS_UNDEFINED, main: JS_UNDEFINED },
    modules: 0..0,
    heap: Array::new(),
}));

// build/slim/engine.patch adds these functions to the engine.
unsafe extern "C" {
    fn JS_StartImage(context: *mut JSContext) -> c_int;
    fn JS_SealImage(context: *mut JSContext, functions: *const JSMallocFunctions) -> c_int;
    fn JS_WakeImage(context: *mut JSContext, start: usize, size: usize, seed: u64);
}

/// Whether a block is in the image. Such a block is never freed, and never moves.
pub fn holds(block: *const u8) -> bool {
    heap().offset_of(block).is_some()
}

fn heap() -> &'static Array<SIZE> {
    // SAFETY: the array itself is never replaced.
    unsafe { &(*IMAGE.get()).heap }
}

/// The core as the build loaded it, ready for this process; None in the build.
pub fn wake() -> Option<Core> {
    let core = core()?;
    let start = ptr::from_ref(heap()).addr();
    // SAFETY: the context is in the image, and nothing has used the engine yet.
    unsafe { JS_WakeImage(core.engine.0, start, size_of::<Array<SIZE>>(), seed()) };
    read_modules();
    Some(core)
}

/// Brings the modules into the processor's cache. A call uses them here and there, and would wait each time.
fn read_modules() {
    // SAFETY: volatile, as in `core`, and so that the compiler leaves the reads in. The range is in the heap.
    unsafe {
        for offset in ptr::read_volatile(&raw const (*IMAGE.get()).modules).step_by(CACHE_LINE) {
            ptr::read_volatile(ptr::from_ref(heap()).cast::<u8>().add(offset));
        }
    }
}

/// Half of the 16 random bytes that the kernel gives to each executable. The C library has its own secrets from them. The core
/// prints no random number, so nobody learns these.
fn seed() -> u64 {
    // SAFETY: the kernel passes their address, and they are not aligned.
    unsafe { ptr::read_unaligned((libc::getauxval(libc::AT_RANDOM) as *const u64).add(1)) }
}

fn core() -> Option<Core> {
    // SAFETY: volatile, because the compiler knows the executable as it is before the build puts the image in.
    let core = unsafe { ptr::read_volatile(&raw const (*IMAGE.get()).core) };
    (!core.engine.0.is_null()).then_some(core)
}

/// Starts the engine in the image. Each build makes the same tables and numbers.
pub fn start() -> Option<Engine> {
    let engine = Engine::start(&OF_BUILD)?;
    // SAFETY: the engine has not used its seeds yet.
    unsafe {
        done(JS_StartImage(engine.0)).ok()?;
        (*IMAGE.get()).modules.start = heap().end.load(Relaxed);
    }
    Some(engine)
}

static OF_BUILD: JSMallocFunctions = JSMallocFunctions {
    js_calloc: Some(calloc),
    js_malloc: Some(malloc),
    js_free: Some(free),
    js_realloc: Some(realloc),
    js_malloc_usable_size: heap::OF_ENGINE.js_malloc_usable_size,
};

/// Writes the image to stdout. Returns the exit code.
pub fn finish(core: Core, _: Vec<String>) -> Result<i32> {
    let end = heap().end.load(Relaxed);
    // SAFETY: nothing uses the engine any more.
    let bytes = unsafe {
        (*IMAGE.get()).modules.end = end;
        done(JS_SealImage(core.engine.0, &heap::OF_ENGINE))?;
        (*IMAGE.get()).core = core;
        slice::from_raw_parts(IMAGE.get().cast::<u8>(), size_of::<Image>())
    };
    Ok(io::stdout().write_all(bytes).map_or(1, |()| 0))
}

/// The freed blocks, all zero.
static FREED: OneThread<RefCell<Vec<*mut u8>>> = OneThread(RefCell::new(Vec::new()));

unsafe extern "C" fn malloc(_: *mut c_void, size: size_t) -> *mut c_void {
    let size = size as usize;
    let index = FREED.borrow().iter().position(|block| (size..=2 * size).contains(&unsafe { size_of_block(*block) }));
    let block = index.map_or_else(|| heap().take(size, HEADER), |index| FREED.borrow_mut().swap_remove(index));
    if block.is_null() {
        eprintln!("the heap image needs more than {SIZE} bytes");
        process::exit(1);
    }
    block.cast()
}

/// All blocks are zero.
unsafe extern "C" fn calloc(opaque: *mut c_void, count: size_t, size: size_t) -> *mut c_void {
    unsafe { malloc(opaque, count * size) }
}

unsafe extern "C" fn free(_: *mut c_void, block: *mut c_void) {
    if !block.is_null() {
        let block = block.cast::<u8>();
        unsafe { ptr::write_bytes(block, 0, size_of_block(block)) };
        FREED.borrow_mut().push(block);
    }
}

unsafe extern "C" fn realloc(opaque: *mut c_void, block: *mut c_void, size: size_t) -> *mut c_void {
    unsafe {
        let moved = malloc(opaque, size);
        if !block.is_null() {
            let kept = size_of_block(block.cast()).min(size as usize);
            ptr::copy_nonoverlapping::<u8>(block.cast(), moved.cast(), kept);
            free(opaque, block);
        }
        moved
    }
}
