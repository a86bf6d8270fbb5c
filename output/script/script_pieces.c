#include "output/script/script_pieces.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/pool.h"
#include "output/script/script.h"

enum {
	/** Most workers. The thread that writes the pieces could not serve many more. */
	MAX_WORKERS = 8,
	/**
	 * Pieces of a batch for each worker: all workers wait for the last piece of a batch. A
	 * single worker has one, so that it is written while it is in the cache of the processor.
	 */
	PIECES_PER_WORKER = 8,
	/** Text of a piece in bytes, on average and at most. */
	PIECE_BYTES = 64 << 10,
	BUFFER_BYTES = 4 * PIECE_BYTES,
	/** Rows of a piece: of the first one, and at most. */
	FIRST_ROWS = 256,
	MAX_ROWS = 4096,
};

struct piece {
	/** All rows of the piece. */
	struct script_rows rows;
	/** Rows that are not in the buffer, because it is full. */
	struct script_rows left;
	/** Text of the other rows. */
	struct base_line line;
	/** script.data_src_width with which the text begins, and that after it. */
	int width_before;
	int width_after;
};

/* Pieces that are formatted in parallel. */
struct batch {
	struct piece *pieces;
	size_t n;
};

struct pieces {
	const struct profile *profile;
	FILE *out;
	struct base_pool *pool;
	struct script_texts texts;
	struct script *workers;
	size_t n_workers;
	struct batch batches[2];
	/** The batches, which take turns. */
	struct batch *formatting;
	struct batch *writing;
	/** Pieces of a full batch. */
	size_t n_pieces;
	/** Buffers of all pieces. */
	char *buffers;
	/** Rows that are in no piece yet. */
	struct script_rows rows;
	/** Rows of the next pieces. */
	size_t rows_per_piece;
	/** Widest data_src of the pieces that were formatted. */
	int known_width;
	/** Width of the column data_src at the end of what was written. */
	int width;
};

static void destroy(struct pieces *p)
{
	base_pool_destroy(p->pool);
	for (size_t i = 0; p->workers && i < p->n_workers; i++)
		base_arena_deinit(&p->workers[i].text_arena);
	free(p->workers);
	free(p->buffers);
	free(p->batches[0].pieces);
	free(p->batches[1].pieces);
	script_texts_deinit(&p->texts);
}

/* Create a thread for each worker that has enough to do. */
static struct pd_error *create_pool(struct pieces *p, size_t jobs)
{
	size_t most = p->profile->rows.n / FIRST_ROWS + 1;
	struct pd_error *err =
		base_pool_create_up_to(jobs, most < MAX_WORKERS ? most : MAX_WORKERS, &p->pool);

	if (err)
		return err;
	p->n_workers = base_pool_n_workers(p->pool);
	p->n_pieces = p->n_workers > 1 ? p->n_workers * PIECES_PER_WORKER : 1;
	return NULL;
}

static bool create_workers(struct pieces *p, const struct script *initial)
{
	p->workers = calloc(p->n_workers, sizeof(*p->workers));
	if (!p->workers)
		return false;
	script_texts_init(&p->texts, p->profile->frames.n);
	for (size_t i = 0; i < p->n_workers; i++) {
		p->workers[i] = *initial;
		p->workers[i].texts = &p->texts;
	}
	return true;
}

static bool create_batches(struct pieces *p)
{
	p->buffers = malloc(2 * p->n_pieces * BUFFER_BYTES);
	if (!p->buffers)
		return false;
	for (size_t b = 0; b < 2; b++) {
		struct piece *pieces = calloc(p->n_pieces, sizeof(*pieces));

		if (!pieces)
			return false;
		for (size_t i = 0; i < p->n_pieces; i++)
			pieces[i].line = (struct base_line){
				.bytes = p->buffers + (b * p->n_pieces + i) * BUFFER_BYTES,
				.cap = BUFFER_BYTES,
			};
		p->batches[b].pieces = pieces;
	}
	return true;
}

/* Skip the notes that are written with a row before @p row. */
static void skip_notes(const struct profile *profile, size_t row, size_t *note)
{
	while (*note < profile->notes.n && profile->notes.data[*note].row < row)
		++*note;
}

/*
 * Fill @p batch with the next rows; without rows it has no pieces. The first piece of all is alone,
 * since its text shows how long rows are and how wide data_src is.
 */
static void cut(struct pieces *p, struct batch *batch)
{
	size_t n = p->rows.next ? p->n_pieces : 1;

	for (batch->n = 0; batch->n < n && p->rows.next < p->rows.end; batch->n++) {
		struct piece *piece = &batch->pieces[batch->n];
		size_t left = p->rows.end - p->rows.next;

		piece->rows = p->rows;
		piece->rows.end =
			p->rows.next + (left < p->rows_per_piece ? left : p->rows_per_piece);
		piece->width_before = p->known_width;
		p->rows.next = piece->rows.end;
		skip_notes(p->profile, p->rows.next, &p->rows.note);
	}
}

static void format_piece(void *ctx, size_t worker, size_t item)
{
	struct pieces *p = ctx;
	struct piece *piece = &p->formatting->pieces[item];
	struct script *s = &p->workers[worker];

	piece->left = piece->rows;
	piece->line.n = 0;
	piece->line.is_full = false;
	s->line = &piece->line;
	s->data_src_width = piece->width_before;
	script_write_rows(s, &piece->left);
	piece->width_after = s->data_src_width;
}

/* Learn from the formatted pieces how to cut the next ones. */
static void learn(struct pieces *p)
{
	size_t n_bytes = 0, n_rows = 0;

	for (size_t i = 0; i < p->formatting->n; i++) {
		const struct piece *piece = &p->formatting->pieces[i];

		n_bytes += piece->line.n;
		n_rows += piece->left.next - piece->rows.next;
		if (piece->width_after > p->known_width)
			p->known_width = piece->width_after;
	}
	size_t rows = n_bytes ? n_rows * PIECE_BYTES / n_bytes : MAX_ROWS;
	p->rows_per_piece = rows < 1 ? 1 : rows > MAX_ROWS ? MAX_ROWS : rows;
}

/* Write the rows of @p piece that are not in its buffer. */
static void write_rest(struct pieces *p, struct piece *piece)
{
	/* The pool does not use the worker of this thread now. */
	struct script *s = &p->workers[0];

	piece->line.n = 0;
	piece->line.is_full = false;
	piece->line.out = p->out;
	s->line = &piece->line;
	s->data_src_width = p->width > piece->width_after ? p->width : piece->width_after;
	script_write_rows(s, &piece->left);
	base_line_flush(&piece->line);
	piece->line.out = NULL;
	piece->width_after = s->data_src_width;
}

static void write_piece(struct pieces *p, struct piece *piece)
{
	size_t end = piece->rows.end;

	if (piece->width_before != p->width) {
		/* An earlier piece had a wider data_src than was known: format this one again. */
		piece->left = piece->rows;
		piece->width_after = p->width;
	} else {
		fwrite_unlocked(piece->line.bytes, 1, piece->line.n, p->out);
	}
	if (piece->left.next < end)
		write_rest(p, piece);
	p->width = piece->width_after;
	if (piece->rows.next / PD_SPILL_STEP == end / PD_SPILL_STEP)
		return;
	base_spill_pass(&p->profile->rows, end / PD_SPILL_STEP * PD_SPILL_STEP);
	base_spill_pass(&p->profile->details, end / PD_SPILL_STEP * PD_SPILL_STEP);
}

/* Write the pieces of the batch before the one that is being formatted. */
static void write_batch(struct pieces *p)
{
	for (size_t i = 0; i < p->writing->n && !ferror_unlocked(p->out); i++)
		write_piece(p, &p->writing->pieces[i]);
}

static void write_all(struct pieces *p)
{
	do {
		struct batch *formatted = p->formatting;

		p->formatting = p->writing;
		p->writing = formatted;
		cut(p, p->formatting);
		base_pool_start(p->pool, p->formatting->n, format_piece, p);
		write_batch(p);
		base_pool_finish(p->pool);
		learn(p);
	} while (p->formatting->n && !ferror_unlocked(p->out));
}

struct pd_error *script_pieces_write(const struct script *initial, size_t jobs, FILE *out)
{
	_cleanup_(destroy) struct pieces p = {
		.profile = initial->profile,
		.out = out,
		.formatting = &p.batches[0],
		.writing = &p.batches[1],
		/* The end of the rows counts as a row, for the notes there. */
		.rows = { .end = initial->profile->rows.n + 1 },
		.rows_per_piece = FIRST_ROWS,
	};
	struct pd_error *err = create_pool(&p, jobs);

	if (err)
		return err;
	if (!create_workers(&p, initial) || !create_batches(&p))
		return &pd_enomem;
	write_all(&p);
	return NULL;
}
