// Vectors: the form follows the values, in any order of writing.
#include "vector/vector.h"

#include <gtest/gtest.h>

namespace godwit {
namespace {

using Form = Vector::Form;

ValueView integer(int64_t i) { return ValueView::of(i); }

TEST(Vector, StaysUniformWhileTypesAgree) {
  Vector v;
  v.begin(3);
  v.set(2, integer(7));
  v.set(0, integer(5));
  EXPECT_TRUE(v.is_uniform(ValueType::kInteger));
  EXPECT_EQ(v.get(2).integer, 7);
  EXPECT_EQ(v.get(0).integer, 5);
}

TEST(Vector, BecomesNullableWhicheverComesFirst) {
  Vector v;
  v.begin(4);
  v.set(0, ValueView::null());
  EXPECT_TRUE(v.is_uniform(ValueType::kNull));
  v.set(1, ValueView::of_text("a"));
  EXPECT_EQ(v.form(), Form::kNullable);
  EXPECT_EQ(v.type(), ValueType::kText);
  EXPECT_TRUE(v.is_null(0));
  EXPECT_EQ(v.get(1).text(), "a");

  v.begin(2);
  v.set(1, ValueView::of(2.5));
  v.set(0, ValueView::null());
  EXPECT_EQ(v.form(), Form::kNullable);
  EXPECT_EQ(v.type(), ValueType::kReal);
  EXPECT_TRUE(v.is_null(0));
  EXPECT_EQ(v.get(1).real, 2.5);
}

TEST(Vector, BecomesMixedAndKeepsEarlierTypes) {
  Vector v;
  v.begin(4);
  v.set(0, integer(1));
  v.set(1, ValueView::of(2.5));
  v.set(2, ValueView::of_blob(std::string_view("xy")));
  v.set(3, ValueView::null());
  EXPECT_EQ(v.form(), Form::kMixed);
  EXPECT_TRUE(v.get(0).is_integer());
  EXPECT_TRUE(v.get(1).is_real());
  EXPECT_TRUE(v.get(2).is_blob());
  EXPECT_TRUE(v.get(3).is_null());
}

TEST(Vector, KeepsSubtypesAndZeroBlobs) {
  Vector v;
  v.begin(3);
  v.set(0, ValueView::of_text("plain"));
  ValueView json = ValueView::of_text("[]");
  json.subtype = 'J';
  v.set(1, json);
  ValueView zeros = ValueView::of_blob(std::string_view());
  zeros.size = 1000;
  zeros.zero_filled = true;
  v.set(2, zeros);
  EXPECT_EQ(v.get(0).subtype, 0);
  EXPECT_EQ(v.get(1).subtype, 'J');
  EXPECT_TRUE(v.get(2).zero_filled);
  EXPECT_EQ(v.get(2).size, 1000u);
}

TEST(Vector, AConstantStandsForEveryRow) {
  Vector v;
  v.set_constant_value(integer(42));
  EXPECT_EQ(v.get(1000).integer, 42);
  EXPECT_EQ(v.type_at(7), ValueType::kInteger);
}

TEST(Vector, ReserveKeepsWhatIsThere) {
  Vector v;
  v.begin(8);
  for (uint32_t i = 0; i < 8; ++i) v.set(i, integer(i * 3));
  v.reserve(100, true);
  EXPECT_GE(v.capacity(), 100u);
  for (uint32_t i = 0; i < 8; ++i) EXPECT_EQ(v.get(i).integer, i * 3);
}

TEST(Vector, GathersFromEveryForm) {
  Vector source;
  source.begin(4);
  for (uint32_t i = 0; i < 4; ++i) source.set(i, integer(i * 10));
  const uint16_t rows[] = {1, 3};
  Vector v;
  v.begin(5);
  v.gather(0, source, rows, 2);
  EXPECT_TRUE(v.is_uniform(ValueType::kInteger));
  Vector constant;
  constant.set_constant_value(ValueView::of_text("c"));
  v.gather(2, constant, rows, 2);
  v.gather(4, source, nullptr, 1);
  EXPECT_EQ(v.get(0).integer, 10);
  EXPECT_EQ(v.get(1).integer, 30);
  EXPECT_EQ(v.get(3).text(), "c");
  EXPECT_EQ(v.get(4).integer, 0);
}

}  // namespace
}  // namespace godwit
