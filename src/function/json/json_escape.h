// Escapes in JSON and JSON5 strings: what they are, what they stand for, and how text is escaped.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/bytes.h"
#include "function/json/json_buffer.h"

namespace godwit {

// Control characters, the double quote and the backslash.
inline bool json_must_escape(uint8_t byte) {
  return byte < 0x20 || byte == '"' || byte == '\\';
}

// The first byte at or behind `p` that json_must_escape(), or `end`.
const char* find_json_special(const char* p, const char* end);

// Bytes of the line end behind a backslash, by which JSON5 continues a string on the next line:
// LF, CR, CR LF, U+2028 or U+2029. 0: there is none.
size_t json_line_end_size(const char* p, const char* end);

// `p` is at a backslash. The position behind the escape, or null if it is none of JSON or, with
// `json5`, of JSON5.
const char* skip_json_escape(const char* p, const char* end, bool json5);

// What invalid escapes decode to; no character has this number.
inline constexpr uint32_t kInvalidJsonCharacter = 0x99999;

// `p` is at a backslash: decodes that escape (of JSON or JSON5) into a code point; returns the
// position behind it. Line continuations are skipped, and the code point is that of what follows
// them.
const char* read_json_escape(const char* p, const char* end, uint32_t* code_point);

// The text that a JSON string stands for: without its escapes. False if one of them is invalid.
bool append_json_unescaped(JsonBuffer* out, std::string_view payload);

// Any text as the inside of a JSON string.
void append_json_escaped(JsonBuffer* out, std::string_view text);

// The inside of a JSON5 string as the inside of a JSON string. False if an escape is invalid.
bool append_json5_as_json(JsonBuffer* out, std::string_view payload);

// Both are the inside of a JSON string, raw (no escapes) or not, and stand for the same text.
bool json_text_equal(std::string_view a, bool a_is_raw, std::string_view b, bool b_is_raw);

}  // namespace godwit
