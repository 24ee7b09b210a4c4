/* threads CONTRACT ARTIFACT: four threads judge an artifact, each with an instance of its own and in pieces of 20
 * bytes; 0 when each had the numbers 1 and 1, and every verdict was the same. threads (alone): a number that is not in
 * use. */
#include <plumbline.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct Text {
  char bytes[1 << 16];
  uint32_t size;
};
static struct Text contract, artifact;

static void read_text(const char* name, struct Text* into) {
  FILE* file = fopen(name, "rb");
  if (file == NULL) {
    exit(2);
  }
  into->size = (uint32_t)fread(into->bytes, 1, sizeof into->bytes, file);
  fclose(file);
}

static void* judge(void* unused) {
  const plumb_word* frame = plumb_frame();
  char* verdict = NULL;
  uint32_t from = 0;
  uint32_t of = 0;
  uint32_t check = 0;
  memcpy(plumb_buffer(contract.size, 0), contract.bytes, contract.size);
  of = plumb_contract_read(contract.size, 0);
  check = plumb_check_new(of, 0, 0);
  if (of != 1 || check != 1) {
    return unused;
  }
  for (from = 0; from < artifact.size; from += 20) {
    const uint32_t size = artifact.size - from < 20 ? artifact.size - from : 20;
    memcpy(plumb_buffer(size, 0), artifact.bytes + from, size);
    plumb_check_feed(check, size);
  }
  plumb_check_end(check, 0, 0);
  verdict = calloc(1, frame[PLUMB_WORD_LENGTH] + 1);
  memcpy(verdict, plumb_result(frame), frame[PLUMB_WORD_LENGTH]);
  plumb_check_free(check);
  plumb_contract_free(of);
  return verdict;
}

int main(int count, char** arguments) {
  pthread_t threads[4];
  char* verdicts[4];
  int i = 0;
  if (count != 3) {
    plumb_frame();
    plumb_check_whole(7, 0);
    return 0;
  }
  read_text(arguments[1], &contract);
  read_text(arguments[2], &artifact);
  for (i = 0; i < 4; ++i) {
    if (pthread_create(&threads[i], NULL, judge, NULL) != 0) {
      return 2;
    }
  }
  for (i = 0; i < 4; ++i) {
    void* verdict = NULL;
    pthread_join(threads[i], &verdict);
    verdicts[i] = verdict;
    if (verdict == NULL || strcmp(verdicts[i], verdicts[0]) != 0) {
      return 1;
    }
  }
  puts(verdicts[0]);
  return 0;
}
