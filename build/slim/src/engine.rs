//! QuickJS-ng, the engine that runs the core. It is used as C uses it: a layer with Rust's types would start more slowly.
use crate::values::{Native, Text};
use rquickjs_sys::*;
use std::ffi::{CStr, c_int};
use std::ptr;

/// The running engine. It is never freed: the kernel frees the memory faster.
#[derive(Clone, Copy)]
pub struct Engine(pub *mut JSContext);

/// A value of the engine.
pub type Value = JSValue;

/// The engine has an exception to throw.
#[derive(Debug)]
pub struct Thrown;

pub type Result<T> = std::result::Result<T, Thrown>;

/// The engine's stack. A process that may have only 1 MiB must not end without an answer. In bytes.
const STACK: size_t = 512 * 1024;

impl Engine {
    /// Starts the engine with the parts that every call needs; None without memory. Each further part would slow down every
    /// start. All memory comes from `functions`.
    pub fn start(functions: &JSMallocFunctions) -> Option<Self> {
        // SAFETY: the pointers are checked before they are used.
        unsafe {
            let runtime = JS_NewRuntime2(functions, ptr::null_mut());
            if runtime.is_null() {
                return None;
            }
            // A call ends before there is much garbage, and collecting it takes long.
            JS_SetGCThreshold(runtime, size_t::MAX);
            JS_SetMaxStackSize(runtime, STACK);
            let context = JS_NewContextRaw(runtime);
            let parts = [
                JS_AddIntrinsicBaseObjects,
                JS_AddIntrinsicJSON,
                JS_AddIntrinsicMapSet,
                JS_AddIntrinsicPromise,
                JS_AddIntrinsicRegExp,
            ];
            let is_complete = !context.is_null() && parts.iter().all(|add| add(context) == 0);
            is_complete.then_some(Self(context))
        }
    }

    /// Adds Date. Only the log needs it.
    pub fn add_date(self) -> Result<()> {
        done(unsafe { JS_AddIntrinsicDate(self.0) })
    }

    /// Reads a module.
    ///
    /// # Safety
    /// The same version of the engine must have written the bytecode.
    pub unsafe fn read(self, bytecode: &'static [u8]) -> Result<Value> {
        let flags = (JS_READ_OBJ_BYTECODE | JS_READ_OBJ_ROM_DATA) as c_int;
        checked(unsafe { JS_ReadObject(self.0, bytecode.as_ptr(), bytecode.len() as size_t, flags) })
    }

    /// Evaluates a module that was read, as those were that it imports. Returns its exports.
    pub fn evaluate(self, module: Value) -> Result<Value> {
        // SAFETY: the value is a module. The evaluation takes one reference to it.
        unsafe {
            done(JS_ResolveModule(self.0, module))?;
            let promise = checked(JS_EvalFunction(self.0, JS_DupValue(self.0, module)))?;
            // No module waits, so the promise is settled.
            if JS_PromiseState(self.0, promise) != JSPromiseStateEnum_JS_PROMISE_FULFILLED {
                JS_Throw(self.0, JS_PromiseResult(self.0, promise));
                return Err(Thrown);
            }
            checked(JS_GetModuleNamespace(self.0, JS_VALUE_GET_PTR(module).cast()))
        }
    }

    pub fn object(self) -> Result<Value> {
        checked(unsafe { JS_NewObject(self.0) })
    }

    pub fn get(self, object: Value, name: &CStr) -> Result<Value> {
        checked(unsafe { JS_GetPropertyStr(self.0, object, name.as_ptr()) })
    }

    /// Makes a function of the host, which `native!` made, a property of an object.
    pub fn set_function(self, object: Value, name: &CStr, function: Native) -> Result<()> {
        let kind = JSCFunctionEnum_JS_CFUNC_generic;
        // SAFETY: the engine copies the name, and takes the function.
        unsafe {
            let made = checked(JS_NewCFunction2(self.0, Some(function), name.as_ptr(), 0, kind, 0))?;
            done(JS_SetPropertyStr(self.0, object, name.as_ptr(), made))
        }
    }

    /// Calls a function that returns an integer.
    pub fn call<const N: usize>(self, function: Value, mut arguments: [Value; N]) -> Result<i32> {
        let mut number = 0;
        // SAFETY: there are so many arguments.
        unsafe {
            let result = checked(JS_Call(self.0, function, JS_UNDEFINED, N as c_int, arguments.as_mut_ptr()))?;
            done(JS_ToInt32(self.0, &mut number, result))?;
        }
        Ok(number)
    }

    /// The text of the exception, which is no longer to throw.
    pub fn exception(self) -> String {
        let exception = unsafe { JS_GetException(self.0) };
        Text::of(self, exception).map_or_else(|_| "an exception".to_owned(), |text| text.to_owned())
    }
}

/// A result of the engine.
pub fn checked(value: Value) -> Result<Value> {
    if unsafe { JS_IsException(value) } { Err(Thrown) } else { Ok(value) }
}

/// A result of the engine that is no value.
pub fn done(result: c_int) -> Result<()> {
    if result < 0 { Err(Thrown) } else { Ok(()) }
}
