/* memsize from any language: words of its command line and files in, a document and files out, as JSON.
 *
 *   memsize_session *session = memsize_open(NULL);
 *   char *answer = memsize_run(session, "{\"words\": [\"analyze\", \"run.log\", \"--json\"],"
 *                                       " \"files\": {\"run.log\": \"...\"}}", MEMSIZE_TERMINATED);
 *   puts(answer);
 *   memsize_free(answer);
 *   memsize_close(session);
 *
 * A request is memsize.request/1, an answer memsize.answer/1: samples/schema has both. The words are those of the
 * program, and mean what they mean there. Nothing is printed, nothing exits, no signal is handled and no other
 * program is run: `analyze --follow` and `validate`, which need that, are refused.
 *
 * A request sees no disk: what it reads is in its "files", and memsize's own boards and templates; what it writes is in
 * the answer's "files". With "disk": true it reads and writes the disk instead, as the program does.
 *
 * One session may be used by several threads at once. Sizes in documents are bytes, texts are UTF-8.
 */
#ifndef MEMSIZE_MEMSIZE_H
#define MEMSIZE_MEMSIZE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of this header. It counts on where a program that was built with an older one would break. */
#define MEMSIZE_ABI 1
/* As a request's size: it ends with its first zero. */
#define MEMSIZE_TERMINATED SIZE_MAX

#if defined(__GNUC__)
#define MEMSIZE_API __attribute__((visibility("default")))
#else
#define MEMSIZE_API
#endif

typedef struct memsize_session memsize_session;

/* MEMSIZE_ABI of the library that was loaded: it is to be that of the header. */
MEMSIZE_API int memsize_abi(void);

/* "0.1.0", as of the program. It lives as long as the library. */
MEMSIZE_API const char *memsize_version(void);

/* A session that reads bundled boards once. `data` is the folder with boards/ and templates/; NULL: the environment's
 * MEMSIZE_DATA, else what was installed with the library. Nothing is looked at before a request needs it. NULL where
 * there is no memory. */
MEMSIZE_API memsize_session *memsize_open(const char *data);

/* None of its requests may still run. NULL is ignored. */
MEMSIZE_API void memsize_close(memsize_session *session);

/* Does what a request asks for. The answer ends with a zero and is given back with memsize_free(); it is there also
 * where the request was wrong or failed, with "status" as the program's exit status (0 done, 1 input or check failed,
 * 2 usage, 3 does not fit, 4 environment, 70 a bug of memsize's). NULL where there is no memory. */
MEMSIZE_API char *memsize_run(memsize_session *session, const char *request, size_t size);

/* NULL is ignored. */
MEMSIZE_API void memsize_free(char *answer);

#ifdef __cplusplus
}
#endif

#endif
