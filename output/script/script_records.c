/* Text of records other than samples, worded like `perf script`. */
#include "output/script/script_records.h"

#include <inttypes.h>
#include <string.h>

#include <pdconv/record.h>

#include "base/array.h"
#include "base/memstream.h"
#include "base/text.h"

void script_write_str(FILE *out, const struct pd_str *text)
{
	base_text_write_n(out, text->s, strnlen(text->s, text->len));
}

void script_write_replaced(FILE *out, const char *text, size_t len, char from, const char *to)
{
	const char *at;

	while ((at = memchr(text, from, len))) {
		base_text_write_n(out, text, (size_t)(at - text));
		fputs(to, out);
		len -= (size_t)(at + 1 - text);
		text = at + 1;
	}
	base_text_write_n(out, text, len);
}

static void write_range(
	FILE *out, uint32_t pid, uint32_t tid, uint64_t addr, uint64_t len, uint64_t pgoff)
{
	fprintf(out, " %" PRId32 "/%" PRId32 ": [%#" PRIx64 "(%#" PRIx64 ") @ %#" PRIx64,
		(int32_t)pid, (int32_t)tid, addr, len, pgoff);
}

static void write_protection(FILE *out, uint32_t prot, uint32_t flags)
{
	fprintf(out, "]: %c%c%c%c ", prot & PD_PROT_READ ? 'r' : '-',
		prot & PD_PROT_WRITE ? 'w' : '-', prot & PD_PROT_EXEC ? 'x' : '-',
		flags & PD_MAP_FLAG_SHARED ? 's' : 'p');
}

static void write_mmap(FILE *out, const struct pd_record *rec, const union pd_body *body)
{
	const struct pd_mmap *mmap = &body->mmap;

	write_range(out, mmap->pid, mmap->tid, mmap->addr, mmap->len, mmap->pgoff);
	/* MMAP has no protection bits, only a flag for data mappings. */
	fprintf(out, "]: %c ", rec->misc & PD_MISC_MMAP_DATA ? 'r' : 'x');
	script_write_str(out, &mmap->filename);
}

static void write_mmap2_build_id(FILE *out, const union pd_body *body)
{
	const struct pd_mmap2_build_id *mmap = &body->mmap2_build_id;
	char hex[PD_BUILD_ID_HEX_MAX];

	write_range(out, mmap->pid, mmap->tid, mmap->addr, mmap->len, mmap->pgoff);
	fprintf(out, " <%s>", pd_build_id_hex(&mmap->build_id, hex));
	write_protection(out, mmap->prot, mmap->flags);
	script_write_str(out, &mmap->filename);
}

static void write_mmap2(FILE *out, const struct pd_record *rec, const union pd_body *body)
{
	const struct pd_mmap2 *mmap = &body->mmap2;

	/* With a build id the kernel records no device and inode: the fields share their bytes. */
	if (rec->misc & PD_MISC_MMAP_BUILD_ID) {
		write_mmap2_build_id(out, body);
		return;
	}
	write_range(out, mmap->pid, mmap->tid, mmap->addr, mmap->len, mmap->pgoff);
	fprintf(out, " %02" PRIx32 ":%02" PRIx32 " %" PRIu64 " %" PRIu64, mmap->maj, mmap->min,
		mmap->ino, mmap->ino_generation);
	write_protection(out, mmap->prot, mmap->flags);
	script_write_str(out, &mmap->filename);
}

static void write_comm(FILE *out, const struct pd_record *rec, const union pd_body *body)
{
	fputs(rec->misc & PD_MISC_COMM_EXEC ? " exec: " : ": ", out);
	script_write_str(out, &body->comm.comm);
	fprintf(out, ":%" PRId32 "/%" PRId32, (int32_t)body->comm.pid, (int32_t)body->comm.tid);
}

static void write_task(FILE *out, const struct pd_record *rec, const union pd_body *body)
{
	const struct pd_fork *task = &body->fork;

	(void)rec;
	fprintf(out, "(%" PRId32 ":%" PRId32 "):(%" PRId32 ":%" PRId32 ")", (int32_t)task->pid,
		(int32_t)task->tid, (int32_t)task->ppid, (int32_t)task->ptid);
}

/* Names are padded, because the process that follows is in a separate column. */
static const char *direction(const struct pd_record *rec)
{
	if (!(rec->misc & PD_MISC_SWITCH_OUT))
		return "IN         ";
	return rec->misc & PD_MISC_SWITCH_OUT_PREEMPT ? "OUT preempt" : "OUT        ";
}

static void write_switch(FILE *out, const struct pd_record *rec, const union pd_body *body)
{
	(void)body;
	fprintf(out, " %s", direction(rec));
}

static void write_switch_cpu_wide(FILE *out, const struct pd_record *rec, const union pd_body *body)
{
	const struct pd_switch_cpu_wide *other = &body->switch_cpu_wide;

	fprintf(out, " %s  %s pid/tid: %5" PRId32 "/%-5" PRId32, direction(rec),
		rec->misc & PD_MISC_SWITCH_OUT ? "next" : "prev", (int32_t)other->next_prev_pid,
		(int32_t)other->next_prev_tid);
}

static void write_lost(FILE *out, const struct pd_record *rec, const union pd_body *body)
{
	(void)rec;
	fprintf(out, " lost %" PRIu64, body->lost.lost);
}

/* Writers by record type. Columns and padding are those of perf's own event printers. */
static const struct {
	uint32_t type;
	void (*write)(FILE *out, const struct pd_record *rec, const union pd_body *body);
} writers[] = {
	{ PD_RECORD_MMAP, write_mmap },
	{ PD_RECORD_MMAP2, write_mmap2 },
	{ PD_RECORD_COMM, write_comm },
	{ PD_RECORD_FORK, write_task },
	{ PD_RECORD_EXIT, write_task },
	{ PD_RECORD_SWITCH, write_switch },
	{ PD_RECORD_SWITCH_CPU_WIDE, write_switch_cpu_wide },
	{ PD_RECORD_LOST, write_lost },
};

char *script_note_text(const struct pd_record *rec, const union pd_body *body)
{
	char *text = NULL;
	size_t len;
	FILE *out = base_memstream_open(&text, &len);

	if (!out)
		return NULL;
	fprintf(out, "PERF_RECORD_%s", pd_record_name(rec->type));
	for (size_t i = 0; i < PD_ARRAY_LEN(writers); i++) {
		if (writers[i].type == rec->type)
			writers[i].write(out, rec, body);
	}
	return base_memstream_close(out, &text) ? text : NULL;
}
