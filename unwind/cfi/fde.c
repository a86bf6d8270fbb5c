#include "unwind/cfi/fde.h"

#include <dwarf.h>

#include "base/integer.h"
#include "base/leb.h"

enum {
	ENCODING_FORMAT = 0x0f,
	ENCODING_BASE = 0x70,
};

static bool read_format(struct pd_cursor *c, uint8_t format, uint8_t word, uint64_t *ret)
{
	/* Signed values are sign-extended, so that adding the base wraps around. */
	switch (format) {
	case DW_EH_PE_absptr:
		*ret = base_cursor_uint(c, word);
		return true;
	case DW_EH_PE_uleb128:
		*ret = base_cursor_uleb(c);
		return true;
	case DW_EH_PE_sleb128:
		*ret = (uint64_t)base_cursor_sleb(c);
		return true;
	case DW_EH_PE_udata2:
		*ret = pd_cursor_u16(c);
		return true;
	case DW_EH_PE_sdata2:
		*ret = (uint64_t)(int16_t)pd_cursor_u16(c);
		return true;
	case DW_EH_PE_udata4:
		*ret = pd_cursor_u32(c);
		return true;
	case DW_EH_PE_sdata4:
		*ret = (uint64_t)(int32_t)pd_cursor_u32(c);
		return true;
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		*ret = pd_cursor_u64(c);
		return true;
	default:
		return false;
	}
}

static bool find_base(uint8_t encoding, const struct unw_frame_section *section,
	uint64_t field_vaddr, uint64_t *ret)
{
	switch (encoding & ENCODING_BASE) {
	case DW_EH_PE_absptr:
		*ret = 0;
		return true;
	case DW_EH_PE_pcrel:
		*ret = field_vaddr;
		return true;
	case DW_EH_PE_textrel:
		*ret = section->text_vaddr;
		return true;
	case DW_EH_PE_datarel:
		*ret = section->data_vaddr;
		return true;
	default:
		return false;
	}
}

bool unw_read_encoded(struct pd_cursor *c, uint8_t encoding,
	const struct unw_frame_section *section, uint64_t *ret)
{
	uint64_t field = section->bytes.vaddr + (uint64_t)(c->pos - section->bytes.data);
	uint64_t base;
	uint64_t value;

	if (encoding == DW_EH_PE_omit || (encoding & DW_EH_PE_indirect) ||
		!find_base(encoding, section, field, &base) ||
		!read_format(c, encoding & ENCODING_FORMAT, section->word, &value))
		return false;
	value += base;
	*ret = section->word == 4 ? (uint32_t)value : value;
	return true;
}

/** Read the length field of 32 or 64 bits. Other fields have the same width, so return it. */
static uint64_t read_length(struct pd_cursor *c, bool *is_64_ret)
{
	enum { ESCAPE_64 = 0xffffffff };
	uint64_t len = pd_cursor_u32(c);

	*is_64_ret = len == ESCAPE_64;
	return *is_64_ret ? pd_cursor_u64(c) : len;
}

/** Read the CIE pointer: an offset in .debug_frame, a distance back in .eh_frame, 0 in a CIE. */
static bool read_cie_pointer(const struct unw_frame_section *section, struct pd_cursor *c,
	bool is_64, struct unw_entry *entry)
{
	uint64_t field_off = (uint64_t)(c->pos - section->bytes.data);
	uint64_t id = is_64 && section->is_debug_frame ? pd_cursor_u64(c) : pd_cursor_u32(c);

	if (section->is_debug_frame) {
		entry->is_cie = id == (is_64 ? DW_CIE_ID_64 : DW_CIE_ID_32);
		entry->cie_off = id;
		return true;
	}
	entry->is_cie = id == 0;
	entry->cie_off = field_off - id;
	return id <= field_off;
}

bool unw_entry_read(const struct unw_frame_section *section, uint64_t off, struct unw_entry *ret)
{
	struct unw_entry entry = { .is_cie = true };
	bool is_64;

	if (!section->bytes.data || off >= section->bytes.size)
		return false;
	struct pd_cursor c =
		pd_cursor_init(section->bytes.data + off, section->bytes.size - off, section->swap);
	uint64_t len = read_length(&c, &is_64);
	const uint8_t *body = pd_cursor_bytes(&c, len);
	if (c.overrun)
		return false;
	entry.next_off = (uint64_t)(c.pos - section->bytes.data);
	entry.body = pd_cursor_init(body, len, section->swap);
	if (len && !read_cie_pointer(section, &entry.body, is_64, &entry))
		return false;
	*ret = entry;
	return !entry.body.overrun;
}

/** Read the data of a 'z' augmentation. At an unknown letter stop: the size is known from 'z'. */
static bool read_augmentation_data(const struct unw_frame_section *section, struct pd_cursor *c,
	const char *letters, struct unw_cie *cie)
{
	uint64_t unused;

	for (; *letters; letters++) {
		switch (*letters) {
		case 'R':
			cie->encoding = pd_cursor_u8(c);
			break;
		case 'P':
			/* An indirect address has the size of a direct one. */
			if (!unw_read_encoded(
				    c, pd_cursor_u8(c) & ~DW_EH_PE_indirect, section, &unused))
				return false;
			break;
		case 'L':
			pd_cursor_u8(c);
			break;
		case 'S':
			cie->is_signal = true;
			break;
		case 'B':
		case 'G':
			break;
		default:
			return !c->overrun;
		}
	}
	return !c->overrun;
}

static bool read_augmentation(const struct unw_frame_section *section, struct pd_cursor *c,
	const char *letters, struct unw_cie *cie)
{
	if (letters[0] != 'z')
		return letters[0] == '\0';
	uint64_t len = base_cursor_uleb(c);
	const uint8_t *bytes = pd_cursor_bytes(c, len);
	if (!bytes)
		return false;
	cie->has_augmentation_data = true;
	struct pd_cursor data = pd_cursor_init(bytes, len, c->swap);
	return read_augmentation_data(section, &data, letters + 1, cie);
}

/**
 * Read the augmentation. Real ones have at most 7 letters, so the length is limited: a long one in
 * a damaged file would cost time with each FDE.
 */
static const char *read_letters(struct pd_cursor *c)
{
	enum { MAX_LETTERS = 16 };
	size_t left = pd_cursor_left(c);
	struct pd_cursor bounded =
		pd_cursor_init(c->pos, left < MAX_LETTERS ? left : MAX_LETTERS, 0);
	size_t len;
	const char *letters = pd_cursor_str(&bounded, &len);

	c->pos = bounded.pos;
	return letters;
}

bool unw_cie_read(const struct unw_frame_section *section, uint64_t off, struct unw_cie *ret)
{
	struct unw_cie cie = { .off = off, .encoding = DW_EH_PE_absptr, .word = section->word };
	struct unw_entry entry;

	if (!unw_entry_read(section, off, &entry) || !entry.is_cie || !entry.body.pos)
		return false;
	struct pd_cursor *c = &entry.body;
	uint8_t version = pd_cursor_u8(c);
	const char *letters = read_letters(c);
	if (!letters || (version != 1 && version != 3 && version != 4))
		return false;
	if (version >= 4) {
		cie.word = pd_cursor_u8(c);
		cie.segment_size = pd_cursor_u8(c);
	}
	cie.code_align = base_cursor_uleb(c);
	cie.data_align = base_cursor_sleb(c);
	/* Version 1 of .eh_frame and of DWARF 2 has a byte here; version 2 was never used. */
	cie.ra_column = version == 1 ? pd_cursor_u8(c) : base_cursor_uleb(c);
	if (!read_augmentation(section, c, letters, &cie))
		return false;
	cie.program = *c;
	*ret = cie;
	return !c->overrun && cie.word == section->word;
}

bool unw_fde_read(const struct unw_frame_section *section, const struct unw_entry *entry,
	const struct unw_cie *cie, struct unw_fde *ret)
{
	struct pd_cursor c = entry->body;
	uint64_t start;
	uint64_t len;

	/* Segment selectors exist on no supported architecture, but the field must be skipped. */
	pd_cursor_bytes(&c, cie->segment_size);
	if (!unw_read_encoded(&c, cie->encoding, section, &start) ||
		!read_format(&c, cie->encoding & ENCODING_FORMAT, section->word, &len))
		return false;
	if (cie->has_augmentation_data)
		pd_cursor_bytes(&c, base_cursor_uleb(&c));
	if (c.overrun || start + len < start)
		return false;
	*ret = (struct unw_fde){ .cie = cie, .start = start, .end = start + len, .program = c };
	return true;
}
