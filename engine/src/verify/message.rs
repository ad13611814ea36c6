//! Messages of protocol buffers that must hold values in their fields, in whatever order these come.
//!
//! <https://protobuf.dev/programming-guides/encoding/>

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::wire::{BYTES, FIXED32, FIXED64, Fields, VARINT, Wire, take};
use crate::grpc::only_message;
use crate::plan::{FieldKind, FieldPlan, FieldValue, Occurs};
use crate::template::RowText;

const MOST_SHOWN: usize = 60;

/// What must stand in a message.
#[derive(Debug)]
pub(super) struct MessageBody(Vec<Field>);

#[derive(Debug)]
struct Field {
    name: String,
    number: u32,
    kind: FieldKind,
    occurs: Occurs,
    values: Vec<Value>,
}

#[derive(Debug)]
enum Value {
    Bits(u64),
    Bytes(Vec<u8>),
    /// One of the two before, for each row.
    Cell(RowText),
    Message(MessageBody),
}

/// A text with cells of the request's rows.
pub(super) type Compile<'c> = &'c dyn Fn(&str) -> Result<RowText, String>;

impl MessageBody {
    /// # Errors
    /// The field whose values do not fit.
    pub(super) fn new(fields: &[FieldPlan], compile: Compile<'_>) -> Result<MessageBody, String> {
        fields.iter().map(|plan| Field::new(plan, compile)).collect::<Result<_, _>>().map(MessageBody)
    }

    /// True if any message will do.
    pub(super) fn is_any(&self) -> bool {
        self.0.is_empty()
    }

    /// What is wrong with the answer to a unary call. `body_bytes` as for [`only_message`]; `inside`: also look at fields,
    /// those of this row, see [`RowText`].
    pub(super) fn difference(&self, body: &[u8], body_bytes: u64, inside: Option<u64>) -> Result<(), String> {
        let message = only_message(body, body_bytes).map_err(|fault| fault.to_string())?;
        inside.map_or(Ok(()), |row| self.check(message, row))
    }

    /// What is wrong with a message. `row` as for [`MessageBody::difference`].
    pub(super) fn check(&self, message: &[u8], row: u64) -> Result<(), String> {
        self.0.iter().try_for_each(|field| field.check(message, row))
    }
}

impl Field {
    fn new(plan: &FieldPlan, compile: Compile<'_>) -> Result<Field, String> {
        let FieldPlan { name, number, kind, occurs, values } = plan;
        let value = |value: &FieldValue| match (kind, value) {
            (FieldKind::Message, FieldValue::Fields(fields)) => {
                Ok(Value::Message(MessageBody::new(fields, compile)?))
            }
            (_, FieldValue::Base64(text)) if *kind != FieldKind::Message && text.starts_with("{{") => {
                compile(text).map(Value::Cell).map_err(|error| format!("{name}: {error}"))
            }
            (FieldKind::String | FieldKind::Bytes, FieldValue::Base64(text)) => {
                STANDARD.decode(text).map(Value::Bytes).map_err(|error| format!("{name}: {error}"))
            }
            (FieldKind::Message | FieldKind::String | FieldKind::Bytes, _) | (_, FieldValue::Base64(_)) => {
                Err(format!("{name}: a value is none of {kind:?}"))
            }
            (_, FieldValue::Bits(bits)) => Ok(Value::Bits(kind.truncated(*bits))),
            (_, FieldValue::Fields(_)) => Err(format!("{name}: a value is none of {kind:?}")),
        };
        let values = values.iter().map(value).collect::<Result<Vec<_>, _>>()?;
        if *occurs == Occurs::Once && values.len() != 1 {
            return Err(format!("{name}: occurs once, and has {} values", values.len()));
        }
        let is_message = |value: &Value| matches!(value, Value::Message(entry) if !entry.is_any());
        if *occurs == Occurs::Map && !values.iter().all(is_message) {
            return Err(format!("{name}: an entry of a map is a message with its key"));
        }
        Ok(Field { name: name.clone(), number: *number, kind: *kind, occurs: *occurs, values })
    }

    fn check(&self, message: &[u8], row: u64) -> Result<(), String> {
        match (self.occurs, self.values.as_slice()) {
            (Occurs::Once, [value]) => self.check_only(message, value, row),
            (Occurs::Map, entries) => {
                entries.iter().try_for_each(|entry| self.check_entry(message, entry, row))
            }
            (_, values) => self.check_all(message, values, row),
        }
    }

    /// The last occurrence counts, and of messages all together (<https://protobuf.dev/programming-guides/encoding/#last-one-wins>).
    fn check_only(&self, message: &[u8], wanted: &Value, row: u64) -> Result<(), String> {
        let mut last: Option<Wire<'_>> = None;
        let mut merged: Option<Cow<'_, [u8]>> = None;
        for wire in self.occurrences(message) {
            let wire = wire?;
            match (wanted, wire) {
                (Value::Message(_), Wire::Bytes(bytes)) => match &mut merged {
                    None => merged = Some(Cow::Borrowed(bytes)),
                    Some(merged) => merged.to_mut().extend_from_slice(bytes),
                },
                _ => last = Some(wire),
            }
        }
        match (wanted, merged) {
            (Value::Message(inner), Some(bytes)) => self.within(inner.check(&bytes, row)),
            (Value::Message(_), None) => Err(format!("{} is not there", self.name)),
            _ => self.compare(last.unwrap_or(self.kind.zero()), wanted, &self.name, row),
        }
    }

    fn check_all(&self, message: &[u8], values: &[Value], row: u64) -> Result<(), String> {
        let mut count = 0;
        let mut check_next = |wire: Wire<'_>| {
            let wanted = values.get(count);
            count += 1;
            match wanted {
                Some(wanted) => self.compare(wire, wanted, &format!("{}[{}]", self.name, count - 1), row),
                None => Ok(()),
            }
        };
        for wire in self.occurrences(message) {
            match wire? {
                Wire::Bytes(mut packed) if self.kind.wire_type() != BYTES => {
                    while !packed.is_empty() {
                        let element = take(&mut packed, self.kind.wire_type());
                        check_next(element.ok_or_else(|| self.broken())?)?;
                    }
                }
                wire => check_next(wire)?,
            }
        }
        if count == values.len() {
            return Ok(());
        }
        let noun = if count == 1 { "value" } else { "values" };
        Err(format!("{} has {count} {noun}, not {}", self.name, values.len()))
    }

    /// The last entry with the key of the wanted one counts.
    fn check_entry(&self, message: &[u8], wanted: &Value, row: u64) -> Result<(), String> {
        let Value::Message(MessageBody(fields)) = wanted else { unreachable!("checked when it was read") };
        let Some((key, others)) = fields.split_first() else { return Ok(()) };
        let mut found = Err(format!("{} has no such key as is expected", self.name));
        for wire in self.occurrences(message) {
            if let Wire::Bytes(entry) = wire?
                && key.check(entry, row).is_ok()
            {
                found = self.within(others.iter().try_for_each(|field| field.check(entry, row)));
            }
        }
        found
    }

    fn compare(&self, found: Wire<'_>, wanted: &Value, name: &str, row: u64) -> Result<(), String> {
        match (wanted, found) {
            (Value::Cell(text), found) => {
                let mut cell = Vec::new();
                text.write(row, &mut cell);
                self.compare(found, &self.of_cell(cell), name, row)
            }
            (Value::Message(inner), Wire::Bytes(bytes)) => {
                inner.check(bytes, row).map_err(|text| format!("{name}.{text}"))
            }
            (Value::Bytes(wanted), Wire::Bytes(bytes)) if wanted == bytes => Ok(()),
            (Value::Bytes(wanted), Wire::Bytes(bytes)) => {
                Err(format!("{name} is {}, not {}", self.shown_bytes(bytes), self.shown_bytes(wanted)))
            }
            (Value::Bits(wanted), Wire::Number { bits, .. }) => match self.kind.truncated(bits) {
                bits if bits == *wanted => Ok(()),
                bits => Err(format!("{name} is {}, not {}", self.kind.shown(bits), self.kind.shown(*wanted))),
            },
            _ => Err(self.wrong_type(found)),
        }
    }

    fn of_cell(&self, cell: Vec<u8>) -> Value {
        if self.kind.wire_type() == BYTES {
            return Value::Bytes(cell);
        }
        let bits = cell.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
        Value::Bits(self.kind.truncated(bits))
    }

    /// What stands in the message for this field.
    fn occurrences<'m>(&self, message: &'m [u8]) -> impl Iterator<Item = Result<Wire<'m>, String>> {
        let (number, kind) = (self.number, self.kind);
        let is_repeated = self.occurs == Occurs::Repeated;
        Fields::new(message).filter_map(move |next| match next {
            None => Some(Err("the message is cut, or none".to_owned())),
            Some((found, wire)) if found == number => {
                let is_packed = is_repeated && wire.wire_type() == BYTES;
                let fits = wire.wire_type() == kind.wire_type() || is_packed;
                Some(if fits { Ok(wire) } else { Err(self.wrong_type(wire)) })
            }
            Some(_) => None,
        })
    }

    fn within(&self, checked: Result<(), String>) -> Result<(), String> {
        checked.map_err(|text| format!("{}.{text}", self.name))
    }

    fn wrong_type(&self, found: Wire<'_>) -> String {
        let (found, wanted) = (found.wire_type(), self.kind.wire_type());
        format!("{} has the wire type {found}, not {wanted}", self.name)
    }

    fn broken(&self) -> String {
        format!("{} is cut", self.name)
    }

    fn shown_bytes(&self, bytes: &[u8]) -> String {
        let text = String::from_utf8_lossy(&bytes[..bytes.len().min(MOST_SHOWN)]).into_owned();
        format!("{text:?}{}", if bytes.len() > MOST_SHOWN { "…" } else { "" })
    }
}

impl FieldKind {
    fn wire_type(self) -> u8 {
        match self {
            FieldKind::Fixed32 | FieldKind::Sfixed32 | FieldKind::Float => FIXED32,
            FieldKind::Fixed64 | FieldKind::Sfixed64 | FieldKind::Double => FIXED64,
            FieldKind::String | FieldKind::Bytes | FieldKind::Message => BYTES,
            _ => VARINT,
        }
    }

    /// What readers make of a field that is not there.
    fn zero(self) -> Wire<'static> {
        match self.wire_type() {
            BYTES => Wire::Bytes(b""),
            wire_type => Wire::Number { bits: 0, wire_type },
        }
    }

    /// The bits that count.
    fn truncated(self, bits: u64) -> u64 {
        match self {
            FieldKind::Bool => u64::from(bits != 0),
            FieldKind::Int32 | FieldKind::Uint32 | FieldKind::Sint32 => u64::from(bits as u32),
            _ => bits,
        }
    }

    /// A number, for people.
    fn shown(self, bits: u64) -> String {
        match self {
            FieldKind::Int32 | FieldKind::Sfixed32 => (bits as i32).to_string(),
            FieldKind::Int64 | FieldKind::Sfixed64 => bits.cast_signed().to_string(),
            FieldKind::Sint32 | FieldKind::Sint64 => {
                ((bits >> 1).cast_signed() ^ -(bits & 1).cast_signed()).to_string()
            }
            FieldKind::Float => f32::from_bits(bits as u32).to_string(),
            FieldKind::Double => f64::from_bits(bits).to_string(),
            FieldKind::Bool => (bits != 0).to_string(),
            _ => bits.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::{Value as Json, json};

    use super::*;
    use crate::rows::tests::sources;

    fn no_rows(text: &str) -> Result<RowText, String> {
        RowText::new(text, None, &[])
    }

    fn expected(fields: Json) -> MessageBody {
        MessageBody::new(&serde_json::from_value::<Vec<FieldPlan>>(fields).unwrap(), &no_rows).unwrap()
    }

    #[test]
    fn fields_may_come_in_any_order_and_others_with_them() {
        let body = expected(json!([
            {"name": "id", "number": 1, "kind": "int32", "values": [150]},
            {"name": "name", "number": 2, "kind": "string", "values": ["dGVhcG90"]},
            {"name": "price", "number": 3, "kind": "double", "values": [1.5_f64.to_bits()]},
            {"name": "low", "number": 4, "kind": "sint32", "values": [3]},
        ]));
        let (id, name) = (&b"\x08\x96\x01"[..], &b"\x12\x06teapot"[..]);
        let price = [&b"\x19"[..], &1.5_f64.to_le_bytes()].concat();
        let (low, other) = (&b"\x20\x03"[..], &b"\x7a\x01x\x0b\x08\x07\x0c"[..]);
        assert_eq!(body.check(&[id, name, &price, low].concat(), 0), Ok(()));
        assert_eq!(body.check(&[low, other, &price, name, b"\x08\x01", id].concat(), 0), Ok(()));
        for (parts, text) in [
            ([b"\x08\x07", name, &price, low].concat(), "id is 7, not 150"),
            ([name, &price, low].concat(), "id is 0, not 150"),
            ([id, &price, low].concat(), "name is \"\", not \"teapot\""),
            ([b"\x0a\x01x", name, &price, low].concat(), "id has the wire type 2, not 0"),
            ([id, name, &price, b"\x20\x04"].concat(), "low is 2, not -2"),
            ([id, name, b"\x19\0\0"].concat(), "the message is cut, or none"),
            ([id, b"\x0b"].concat(), "the message is cut, or none"),
            ([id, b"\x0c"].concat(), "the message is cut, or none"),
            (b"\x00\x01".to_vec(), "the message is cut, or none"),
            (b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02".to_vec(), "the message is cut, or none"),
        ] {
            assert_eq!(body.check(&parts, 0).unwrap_err(), text);
        }
    }

    #[test]
    fn lists_are_compared_as_a_whole_packed_or_not() {
        let body = expected(json!([
            {"name": "sizes", "number": 1, "kind": "uint32", "occurs": "repeated", "values": [1, 300]},
        ]));
        for fits in [&b"\x0a\x03\x01\xac\x02"[..], b"\x08\x01\x08\xac\x02", b"\x0a\x01\x01\x08\xac\x02"] {
            assert_eq!(body.check(fits, 0), Ok(()));
        }
        assert_eq!(body.check(b"\x08\x01", 0).unwrap_err(), "sizes has 1 value, not 2");
        assert_eq!(body.check(b"", 0).unwrap_err(), "sizes has 0 values, not 2");
        assert_eq!(body.check(b"\x0a\x03\x01\x02\x03", 0).unwrap_err(), "sizes[1] is 2, not 300");
        assert_eq!(body.check(b"\x0a\x02\x01\xac", 0).unwrap_err(), "sizes is cut");
    }

    #[test]
    fn messages_within_are_merged_and_maps_have_their_keys() {
        let body = expected(json!([
            {"name": "item", "number": 1, "kind": "message", "values": [[
                {"name": "id", "number": 1, "kind": "int64", "values": [7]},
                {"name": "on", "number": 2, "kind": "bool", "values": [1]},
            ]]},
            {"name": "stock", "number": 2, "kind": "message", "occurs": "map", "values": [[
                {"name": "key", "number": 1, "kind": "string", "values": ["YQ=="]},
                {"name": "value", "number": 2, "kind": "int32", "values": [5]},
            ]]},
        ]));
        let stock = &b"\x12\x05\x0a\x01b\x10\x06\x12\x05\x0a\x01a\x10\x05"[..];
        assert_eq!(body.check(&[stock, b"\x0a\x02\x08\x07\x0a\x02\x10\x01"].concat(), 0), Ok(()));
        for (message, text) in [
            (stock.to_vec(), "item is not there"),
            ([stock, b"\x0a\x04\x08\x07\x10\x00"].concat(), "item.on is false, not true"),
            (b"\x0a\x04\x08\x07\x10\x01".to_vec(), "stock has no such key as is expected"),
            (b"\x0a\x04\x08\x07\x10\x01\x12\x05\x0a\x01a\x10\x06".to_vec(), "stock.value is 6, not 5"),
        ] {
            assert_eq!(body.check(&message, 0).unwrap_err(), text);
        }
    }

    #[test]
    fn cells_of_the_row_are_compared() {
        let line =
            |id: u8, name: &str| json!({"id": STANDARD.encode([id, 0, 0, 0, 0, 0, 0, 0]), "name": name});
        let lines = [line(7, "dGVhcG90"), line(8, "")].map(|line| line.to_string());
        let rows = sources(json!({"items": {"lines": lines, "pick": {"kind": "random"}}}));
        let tables = [Arc::clone(rows.get("items").unwrap().table())];
        let fields = json!([
            {"name": "id", "number": 1, "kind": "int32", "values": ["{{row items id base64}}"]},
            {"name": "names", "number": 2, "kind": "string", "occurs": "repeated",
             "values": ["{{row items name base64}}"]},
        ]);
        let plan: Vec<FieldPlan> = serde_json::from_value(fields).unwrap();
        let body = MessageBody::new(&plan, &|text| RowText::new(text, Some(&rows), &tables)).unwrap();
        let (teapot, nothing) = (&b"\x12\x06teapot\x08\x07"[..], &b"\x08\x08\x12\x00"[..]);
        assert_eq!((body.check(teapot, 0), body.check(nothing, 1)), (Ok(()), Ok(())));
        assert_eq!(body.check(teapot, 1).unwrap_err(), "id is 7, not 8");
        assert_eq!(body.check(b"\x08\x07\x12\x01x", 0).unwrap_err(), "names[0] is \"x\", not \"teapot\"");
    }

    #[test]
    fn values_that_do_not_fit_their_field_are_refused() {
        for field in [
            json!({"name": "x", "number": 1, "kind": "int32", "values": []}),
            json!({"name": "x", "number": 1, "kind": "int32", "values": ["YQ=="]}),
            json!({"name": "x", "number": 1, "kind": "string", "values": [7]}),
            json!({"name": "x", "number": 1, "kind": "string", "values": ["?"]}),
            json!({"name": "x", "number": 1, "kind": "string", "values": ["{{row items id base64}}"]}),
            json!({"name": "x", "number": 1, "kind": "message", "values": ["{{row items id base64}}"]}),
            json!({"name": "x", "number": 1, "kind": "message", "occurs": "map", "values": [[]]}),
        ] {
            let plan: Vec<FieldPlan> = serde_json::from_value(json!([field])).unwrap();
            assert!(MessageBody::new(&plan, &no_rows).unwrap_err().starts_with("x: "));
        }
    }
}
