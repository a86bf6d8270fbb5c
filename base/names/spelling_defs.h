/*
 * Types of standard libraries whose full names hide everything else in the name of a function:
 * S("full name", "name that programmers write").
 *
 * The first match counts, so a longer name stands before its prefix. They are replaced only in
 * names that do not fit.
 */
/* clang-format off */
#define BASE_SPELLINGS(S) \
	S("std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >", "std::string") \
	S("std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char>>", "std::string") \
	S("std::__1::basic_string<char, std::__1::char_traits<char>, std::__1::allocator<char>>", "std::string") \
	S("std::__1::basic_string<char, std::__1::char_traits<char>, std::__1::allocator<char> >", "std::string") \
	S("std::__cxx11::basic_string<char>", "std::string") \
	S("std::basic_string_view<char, std::char_traits<char> >", "std::string_view") \
	S("std::basic_string_view<char, std::char_traits<char>>", "std::string_view") \
	S("std::basic_string_view<char>", "std::string_view") \
	S("std::basic_ostream<char, std::char_traits<char> >", "std::ostream") \
	S("std::basic_ostream<char, std::char_traits<char>>", "std::ostream") \
	S("std::basic_istream<char, std::char_traits<char> >", "std::istream") \
	S("std::basic_istream<char, std::char_traits<char>>", "std::istream") \
	S("std::__cxx11::", "std::") \
	S("std::__1::", "std::")
/* clang-format on */
