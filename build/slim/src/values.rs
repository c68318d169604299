//! Values that the core gives to the host, and the host to the core.
use crate::engine::{Engine, Result, Thrown, Value, checked, done};
use rquickjs_sys::*;
use std::borrow::Cow;
use std::ffi::c_int;
use std::ops::Deref;
use std::slice;

/// The text of bytes. A lone surrogate of the engine is not UTF-8. The library's own function is slow for a text that is.
pub fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

/// A text of the engine.
pub struct Text {
    engine: Engine,
    start: *const u8,
    /// Borrowed from the engine, if it is UTF-8: no part of it leaves this struct.
    text: Cow<'static, str>,
}

impl Text {
    pub fn of(engine: Engine, value: Value) -> Result<Self> {
        let mut length = 0;
        // SAFETY: the engine keeps these bytes until `drop`.
        unsafe {
            let start: *const u8 = JS_ToCStringLen2(engine.0, &mut length, value, false).cast();
            if start.is_null() {
                return Err(Thrown);
            }
            let bytes = slice::from_raw_parts(start, length as usize);
            Ok(Self { engine, start, text: lossy(bytes) })
        }
    }
}

impl Deref for Text {
    type Target = str;
    fn deref(&self) -> &str {
        &self.text
    }
}

impl Drop for Text {
    fn drop(&mut self) {
        unsafe { JS_FreeCString(self.engine.0, self.start.cast()) };
    }
}

/// A call of a function of the host.
pub struct Call<'a> {
    pub engine: Engine,
    given: &'a [Value],
}

impl Call<'_> {
    fn value(&self, index: usize) -> Value {
        self.given.get(index).copied().unwrap_or(JS_UNDEFINED)
    }

    pub fn text(&self, index: usize) -> Result<Text> {
        Text::of(self.engine, self.value(index))
    }

    /// None if it is undefined.
    pub fn optional_text(&self, index: usize) -> Result<Option<Text>> {
        let is_missing = unsafe { JS_IsUndefined(self.value(index)) };
        if is_missing { Ok(None) } else { self.text(index).map(Some) }
    }

    /// The texts of a list.
    pub fn texts(&self, index: usize) -> Result<Vec<String>> {
        self.list(index, |value| Text::of(self.engine, value).map(|text| text.to_owned()))
    }

    pub fn number(&self, index: usize) -> Result<usize> {
        self.number_of(self.value(index))
    }

    fn number_of(&self, value: Value) -> Result<usize> {
        let mut number = 0.0;
        done(unsafe { JS_ToFloat64(self.engine.0, &mut number, value) })?;
        Ok(number as usize)
    }

    fn list<T>(&self, index: usize, of: impl Fn(Value) -> Result<T>) -> Result<Vec<T>> {
        let (list, mut length) = (self.value(index), 0);
        done(unsafe { JS_GetLength(self.engine.0, list, &mut length) })?;
        let entry_at = |place| {
            let value = checked(unsafe { JS_GetPropertyUint32(self.engine.0, list, place) })?;
            let entry = of(value);
            unsafe { JS_FreeValue(self.engine.0, value) };
            entry
        };
        (0..length as u32).map(entry_at).collect()
    }

    pub fn flag(&self, index: usize) -> bool {
        unsafe { JS_ToBool(self.engine.0, self.value(index)) > 0 }
    }
}

/// A function of the host, as the engine calls it.
pub type Native = unsafe extern "C" fn(*mut JSContext, Value, c_int, *mut Value) -> Value;

/// Makes a `Native` of a closure that captures nothing: `|call: &Call| -> Result<impl Give>`.
#[macro_export]
macro_rules! native {
    ($function:expr) => {{
        unsafe extern "C" fn native(
            context: *mut rquickjs_sys::JSContext,
            _: $crate::engine::Value,
            count: std::ffi::c_int,
            given: *mut $crate::engine::Value,
        ) -> $crate::engine::Value {
            unsafe { $crate::values::answer(context, count, given, $function) }
        }
        native as $crate::values::Native
    }};
}

/// Answers a call of the engine.
///
/// # Safety
/// `given` must point to `count` values.
pub unsafe fn answer<T: Give>(
    context: *mut JSContext,
    count: c_int,
    given: *const Value,
    function: impl Fn(&Call) -> Result<T>,
) -> Value {
    let given = if count > 0 { unsafe { slice::from_raw_parts(given, count as usize) } } else { &[] };
    let engine = Engine(context);
    function(&Call { engine, given }).map_or(JS_EXCEPTION, |value| value.give(engine))
}

/// Something that the core can get. It becomes an exception without memory.
pub trait Give {
    fn give(self, engine: Engine) -> Value;
}

impl Give for Value {
    fn give(self, _: Engine) -> Value {
        self
    }
}

impl Give for () {
    fn give(self, _: Engine) -> Value {
        JS_UNDEFINED
    }
}

impl Give for i32 {
    fn give(self, _: Engine) -> Value {
        JS_MKVAL(JS_TAG_INT, self)
    }
}

impl Give for f64 {
    fn give(self, _: Engine) -> Value {
        JS_NewFloat64(self)
    }
}

impl Give for &str {
    fn give(self, engine: Engine) -> Value {
        unsafe { JS_NewStringLen(engine.0, self.as_ptr().cast(), self.len() as size_t) }
    }
}

impl Give for String {
    fn give(self, engine: Engine) -> Value {
        self.as_str().give(engine)
    }
}

impl<T: Give> Give for Option<T> {
    fn give(self, engine: Engine) -> Value {
        self.map_or(JS_UNDEFINED, |value| value.give(engine))
    }
}

impl<T: Give> Give for Vec<T> {
    fn give(self, engine: Engine) -> Value {
        let values: Vec<Value> = self.into_iter().map(|value| value.give(engine)).collect();
        unsafe { JS_NewArrayFrom(engine.0, values.len() as c_int, values.as_ptr()) }
    }
}
