/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled models for other languages. A shared library that was made with tessera/c_api.hpp has these functions.
 *
 *   tessera_model* model;
 *   tessera_tensor x, y;
 *   if (tessera_open("perceptron", "mlp.safetensors", 1, &model) != TESSERA_OK) puts(tessera_last_error());
 *   tessera_input(model, "x", &x);        memcpy(x.data, pixels, x.bytes);
 *   tessera_run(model);
 *   tessera_output(model, "y", &y);       use(y.data, y.shape);
 *   tessera_close(model);
 *
 * No exception leaves a function: each that can fail returns a status, and tessera_last_error() has the sentence. A model
 * is not to be used by two threads at once; different models are. */
#ifndef TESSERA_C_API_H
#define TESSERA_C_API_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TESSERA_EXPORT __attribute__((visibility("default")))

/* How a call ended. */
typedef enum tessera_status {
  TESSERA_OK = 0,
  TESSERA_INPUT_ERROR = 1, /* an argument is wrong; nothing has changed */
  TESSERA_IO_ERROR = 2,    /* a file cannot be read, or is not what it should be */
  TESSERA_RUN_ERROR = 3,   /* a run ended early; outputs are unspecified until the next one */
  TESSERA_NO_MEMORY = 4,
  TESSERA_OTHER_ERROR = 5
} tessera_status;

/* What a tensor holds. Booleans are bytes of 0 or 1. */
typedef enum tessera_element {
  TESSERA_FLOAT32 = 1,
  TESSERA_FLOAT64 = 2,
  TESSERA_INT32 = 3,
  TESSERA_INT64 = 4,
  TESSERA_BOOL = 5,
  TESSERA_FLOAT16 = 6,
  TESSERA_BFLOAT16 = 7
} tessera_element;

/* A model whose weights are loaded. */
typedef struct tessera_model tessera_model;

/* An input or an output: row-major, in the model's own memory, valid until the model is closed. */
typedef struct tessera_tensor {
  char const* name;
  tessera_element element;
  int rank;         /* 0 to 4 */
  int64_t shape[4]; /* capacities, where a length may vary; 1 beyond the rank */
  void* data;       /* of outputs: to be read only */
  size_t bytes;
} tessera_tensor;

/* The version of the library, "0.1.0". */
TESSERA_EXPORT char const* tessera_version(void);
/* What went wrong last in this thread; "" if nothing did. Valid until the thread's next call. */
TESSERA_EXPORT char const* tessera_last_error(void);

/* The models that are compiled in: their number, and the name of number i, NULL beyond the last one. */
TESSERA_EXPORT size_t tessera_models(void);
TESSERA_EXPORT char const* tessera_model_name(size_t i);

/* Opens a model by name. `weights` is a safetensors file, NULL for a model without parameters; `threads` from 1 to 1024. */
TESSERA_EXPORT tessera_status tessera_open(char const* name, char const* weights, int threads, tessera_model** opened);
/* Gives its memory back. NULL is allowed. */
TESSERA_EXPORT void tessera_close(tessera_model* model);

/* The numbers of inputs and outputs, and each by its number or its name. */
TESSERA_EXPORT size_t tessera_inputs(tessera_model const* model);
TESSERA_EXPORT size_t tessera_outputs(tessera_model const* model);
TESSERA_EXPORT tessera_status tessera_input_at(tessera_model* model, size_t i, tessera_tensor* found);
TESSERA_EXPORT tessera_status tessera_output_at(tessera_model* model, size_t i, tessera_tensor* found);
TESSERA_EXPORT tessera_status tessera_input(tessera_model* model, char const* name, tessera_tensor* found);
TESSERA_EXPORT tessera_status tessera_output(tessera_model* model, char const* name, tessera_tensor* found);

/* Sets a length that varies, 0 to its capacity: rows of inputs and outputs beyond it are not worked on. */
TESSERA_EXPORT tessera_status tessera_set_length(tessera_model* model, char const* name, int64_t length);
/* Computes all outputs from the inputs. */
TESSERA_EXPORT tessera_status tessera_run(tessera_model* model);

#ifdef __cplusplus
}
#endif

#endif
