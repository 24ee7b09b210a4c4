// Answers in the providers' real formats, written from their documentation. Read them through joined().
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace recordings {

// The text with lines that end in a backslash joined with the next one: lines of this file are shorter than theirs.
inline std::string joined(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\\' && at + 1 < text.size() && text[at + 1] == '\n') {
      ++at;
    } else {
      out.push_back(text[at]);
    }
  }
  return out;
}

inline constexpr std::string_view openai_text =
    R"(data: {"id":"chatcmpl-123","object":"chat.completion.chunk","created":1694268190,"model":"gpt-4o-mini",\
"system_fingerprint":"fp_44709d6fcb","choices":[{"index":0,"delta":{"role":"assistant","content":"",\
"refusal":null},"logprobs":null,"finish_reason":null}],"usage":null}

data: {"id":"chatcmpl-123","object":"chat.completion.chunk","created":1694268190,"model":"gpt-4o-mini",\
"choices":[{"index":0,"delta":{"content":"Gr\u00fc\u00df "},"logprobs":null,"finish_reason":null}],"usage":null}

data: {"id":"chatcmpl-123","object":"chat.completion.chunk","created":1694268190,"model":"gpt-4o-mini",\
"choices":[{"index":0,"delta":{"content":"Gött€ 😀"},"logprobs":null,"finish_reason":null}],"usage":null}

data: {"id":"chatcmpl-123","object":"chat.completion.chunk","created":1694268190,"model":"gpt-4o-mini",\
"choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}],"usage":null}

data: {"id":"chatcmpl-123","object":"chat.completion.chunk","created":1694268190,"model":"gpt-4o-mini",\
"choices":[],"usage":{"prompt_tokens":19,"completion_tokens":10,"total_tokens":29,\
"prompt_tokens_details":{"cached_tokens":4,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":3}}}

data: [DONE]

)";

inline constexpr std::string_view openai_tools =
    R"(data: {"id":"chatcmpl-9","object":"chat.completion.chunk","created":1,"model":"gpt-4o",\
"choices":[{"index":0,"delta":{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"call_a",\
"type":"function","function":{"name":"get_weather","arguments":""}}]},"finish_reason":null}]}

data: {"id":"chatcmpl-9","object":"chat.completion.chunk","created":1,"model":"gpt-4o","choices":[{"index":0,\
"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"city\":"}}]},"finish_reason":null}]}

data: {"id":"chatcmpl-9","object":"chat.completion.chunk","created":1,"model":"gpt-4o","choices":[{"index":0,\
"delta":{"tool_calls":[{"index":1,"id":"call_b","type":"function","function":{"name":"get_time",\
"arguments":"{}"}}]},"finish_reason":null}]}

data: {"id":"chatcmpl-9","object":"chat.completion.chunk","created":1,"model":"gpt-4o","choices":[{"index":0,\
"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"Bonn\"}"}}]},"finish_reason":null}]}

data: {"id":"chatcmpl-9","object":"chat.completion.chunk","created":1,"model":"gpt-4o","choices":[{"index":0,\
"delta":{},"finish_reason":"tool_calls"}]}

data: [DONE]

)";

inline constexpr std::string_view openai_reply =
    R"({"id":"chatcmpl-B9","object":"chat.completion","created":1741570283,"model":"gpt-4o-2024-08-06",\
"choices":[{"index":0,
"message":{"role":"assistant","content":"Hello!","refusal":null,"annotations":[]},"logprobs":null,\
"finish_reason":"stop"}],
"usage":{"prompt_tokens":1117,"completion_tokens":46,"total_tokens":1163,\
"prompt_tokens_details":{"cached_tokens":1024},
"completion_tokens_details":{"reasoning_tokens":0}},"service_tier":"default"})";

inline constexpr std::string_view anthropic_text =
    R"(event: message_start
data: {"type":"message_start","message":{"id":"msg_1nZ","type":"message","role":"assistant","content":[],\
"model":"claude-sonnet-4-5","stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":25,\
"cache_creation_input_tokens":5,"cache_read_input_tokens":100,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Let me see."}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta",\
"signature":"EqQBCgIYAhIM1gbcDa9GJwZA2b3h"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}

event: ping
data: {"type": "ping"}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Hello"}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":" — wörld!"}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"citations_delta",\
"citation":{"type":"char_location"}}}

event: content_block_stop
data: {"type":"content_block_stop","index":1}

event: something_new
data: {"type":"something_new","index":1}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},\
"usage":{"output_tokens":15}}

event: message_stop
data: {"type":"message_stop"}

)";

inline constexpr std::string_view anthropic_tools =
    R"(event: message_start
data: {"type":"message_start","message":{"id":"msg_014","type":"message","role":"assistant","content":[],\
"model":"claude-sonnet-4-5","stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":472,\
"output_tokens":2}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Okay"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"server_tool_use","id":"srvtoolu_1",\
"name":"web_search","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta",\
"partial_json":"{\"query\":\"x\"}"}}

event: content_block_stop
data: {"type":"content_block_stop","index":1}

event: content_block_start
data: {"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"toolu_01T",\
"name":"get_weather","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"location\":"}}

event: content_block_delta
data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta",\
"partial_json":" \"San Francisco, CA\"}"}}

event: content_block_stop
data: {"type":"content_block_stop","index":2}

event: content_block_start
data: {"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"toolu_02",\
"name":"get_time","input":{}}}

event: content_block_stop
data: {"type":"content_block_stop","index":3}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},\
"usage":{"output_tokens":89}}

event: message_stop
data: {"type":"message_stop"}

)";

inline constexpr std::string_view anthropic_reply =
    R"({"id":"msg_01Xz","type":"message","role":"assistant","model":"claude-sonnet-4-5",\
"content":[{"type":"text","text":"Hi"},
{"type":"tool_use","id":"toolu_01A","name":"get_weather","input":{"location":"San Francisco, CA"}}],\
"stop_reason":"tool_use",
"stop_sequence":null,"usage":{"input_tokens":12,"cache_creation_input_tokens":0,"cache_read_input_tokens":8,\
"output_tokens":6}})";

inline constexpr std::string_view ollama_text =
    R"({"model":"llama3.2","created_at":"2023-08-04T08:52:19.385406455-07:00","message":{"role":"assistant",\
"content":"The","images":null},"done":false}
{"model":"llama3.2","created_at":"2023-08-04T08:52:19.485406455-07:00","message":{"role":"assistant",\
"content":" sky — é"},"done":false}

{"model":"llama3.2","created_at":"2023-08-04T19:22:45.499127Z","message":{"role":"assistant","content":""},\
"done_reason":"stop","done":true,"total_duration":4883583458,"load_duration":1334875,"prompt_eval_count":26,\
"prompt_eval_duration":342546000,"eval_count":282,"eval_duration":4535599000}
)";

inline constexpr std::string_view ollama_tools =
    R"({"model":"qwen3","created_at":"2025-07-07T20:32:53.8Z","message":{"role":"assistant","content":"",\
"thinking":"Hm."},"done":false}
{"model":"qwen3","created_at":"2025-07-07T20:32:53.844124Z","message":{"role":"assistant","content":"",\
"tool_calls":[{"function":{"name":"get_weather","arguments":{"city":"Tokyo"}}},{"id":"call_2",\
"function":{"index":1,"name":"get_time","arguments":{}}}]},"done":false}
{"model":"qwen3","created_at":"2025-07-07T20:32:53.876Z","message":{"role":"assistant","content":""},\
"done_reason":"stop","done":true,"total_duration":182242375,"prompt_eval_count":169,"eval_count":15})";

}  // namespace recordings
