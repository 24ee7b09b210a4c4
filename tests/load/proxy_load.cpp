// The two ends of a proxy under load, each one thread of epoll, so that what is measured between them is the proxy.
//
//   proxy_load upstream PORT                            a provider: 1 KB answers, or streams of 50 events at 20 ms
//   proxy_load requests PORT CONNECTIONS SECONDS [KEY [BYTES]]
//                                                       as many as go through, each with a prompt of so many bytes;
//                                                       prints JSON
//   proxy_load paced PORT CONNECTIONS SECONDS RATE [KEY]
//                                                       so many a second, each at its moment, whatever the answers do
//   proxy_load streams PORT STREAMS ROUNDS [KEY]        so many at once, each read to its [DONE]; prints JSON
//   proxy_load quizzes PORT STREAMS ROUNDS [KEY]        the same, each a quiz under its contract
//
// PORT 0 takes a free one; the upstream prints it. Latencies are in microseconds; those of a stream's event count from
// the moment that the upstream wrote into it, those of paced requests from the moment at which each was due. Jitter is
// how much longer or shorter than at the upstream the time between an event and the next one was. Answers that are no
// 200 end it, but for `flood`, which is `requests` with answers of 401.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace {

constexpr int events_of_stream = 50;
constexpr std::uint64_t event_every_us = 20'000;

std::uint64_t now_us() {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

[[noreturn]] void fail(const std::string& why) {
  std::fprintf(stderr, "proxy_load: %s\n", why.c_str());
  std::exit(1);
}

void raise_file_limit() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

void add_to(int epoll, int handle, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.fd = handle;
  ::epoll_ctl(epoll, EPOLL_CTL_ADD, handle, &event);
}

// ---------------------------------------------------------------- the provider

struct Served {
  std::string in;
  int events_left = 0;
  bool quiz = false;
};

// A quiz of a usual size, as a model writes it: in so many pieces as a stream has events.
std::vector<std::string> quiz_pieces() {
  std::string quiz = R"({"questions":[)";
  for (int i = 0; i < 5; ++i) {
    const std::string n = std::to_string(i + 1);
    quiz += (i == 0 ? "" : ",") + std::string(R"({"question":"What is named in paragraph )") + n +
            R"( of the chapter?","options":["The first thing )" + n + R"(","The second thing )" + n +
            R"(","The third thing )" + n + R"(","The fourth thing )" + n + R"("],"correct_answer":"The second thing )" +
            n + R"(","explanation":"Paragraph )" + n + R"( says so in its second sentence, at some length."})";
  }
  quiz += "]}";
  std::vector<std::string> pieces(static_cast<std::size_t>(events_of_stream));
  for (std::size_t i = 0; i < quiz.size(); ++i) {
    std::string& piece = pieces[i * pieces.size() / quiz.size()];
    piece += quiz[i] == '"' ? std::string("\\\"") : std::string(1, quiz[i]);
  }
  return pieces;
}

struct Due {
  std::uint64_t at = 0;
  int handle = 0;
  std::uint64_t serial = 0;
};

class Provider {
 public:
  explicit Provider(std::uint16_t port) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    const int one = 1;
    ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    sockaddr_in address = loopback(port);
    if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 || ::listen(listener_, 4096) != 0)
      fail("the port cannot be listened on");
    socklen_t size = sizeof address;
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    std::printf("%u\n", ntohs(address.sin_port));
    std::fflush(stdout);
    epoll_ = ::epoll_create1(0);
    add_to(epoll_, listener_, EPOLLIN);
    const std::string text(700, 'x');
    const std::string body =
        R"({"id":"chatcmpl-1","object":"chat.completion","created":1700000000,"model":"m","choices":[{"index":0,)"
        R"("message":{"role":"assistant","content":")" +
        text +
        R"("},"finish_reason":"stop"}],"usage":{"prompt_tokens":20,"completion_tokens":180,"total_tokens":200}})";
    whole_ = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: " + std::to_string(body.size()) +
             "\r\n\r\n" + body;
  }

  [[noreturn]] void serve() {
    std::vector<epoll_event> events(1024);
    while (true) {
      const std::uint64_t now = now_us();
      while (!due_.empty() && due_.front().at <= now) {
        const Due one = due_.front();
        due_.pop_front();
        send_event(one);
      }
      const int wait_ms =
          due_.empty() ? 1000 : static_cast<int>((due_.front().at - std::min(due_.front().at, now)) / 1000) + 1;
      const int count = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), wait_ms);
      for (int i = 0; i < count; ++i) {
        if (events[static_cast<std::size_t>(i)].data.fd == listener_)
          accept_all();
        else
          read_from(events[static_cast<std::size_t>(i)].data.fd);
      }
    }
  }

 private:
  void accept_all() {
    while (true) {
      const int handle = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK);
      if (handle < 0)
        return;
      const int one = 1;
      ::setsockopt(handle, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
      connections_[handle] = {++serial_, {}};
      add_to(epoll_, handle, EPOLLIN);
    }
  }

  void drop(int handle) {
    connections_.erase(handle);
    ::close(handle);
  }

  void read_from(int handle) {
    char buffer[65536];
    const ssize_t size = ::recv(handle, buffer, sizeof buffer, 0);
    if (size <= 0) {
      if (size == 0 || (errno != EAGAIN && errno != EINTR))
        drop(handle);
      return;
    }
    Served& served = connections_[handle].second;
    served.in.append(buffer, static_cast<std::size_t>(size));
    const std::size_t head_end = served.in.find("\r\n\r\n");
    if (head_end == std::string::npos)
      return;
    std::size_t length = 0;
    std::string head = served.in.substr(0, head_end);
    std::transform(head.begin(), head.end(), head.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    const std::size_t at = head.find("content-length:");
    if (at != std::string::npos)
      length = static_cast<std::size_t>(std::strtoull(head.c_str() + at + 15, nullptr, 10));
    if (served.in.size() < head_end + 4 + length)
      return;
    const bool stream = served.in.find("\"stream\":true", head_end) != std::string::npos;
    served.quiz = served.in.find("a quiz", head_end) != std::string::npos;
    served.in.clear();
    if (!stream) {
      (void)::send(handle, whole_.data(), whole_.size(), MSG_NOSIGNAL);
      return;
    }
    constexpr std::string_view head_of_stream =
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    (void)::send(handle, head_of_stream.data(), head_of_stream.size(), MSG_NOSIGNAL);
    served.events_left = events_of_stream;
    due_.push_back({now_us() + event_every_us, handle, connections_[handle].first});
  }

  void send_event(const Due& due) {
    const auto found = connections_.find(due.handle);
    if (found == connections_.end() || found->second.first != due.serial)
      return;
    Served& served = found->second.second;
    std::string event =
        "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1700000000,\"model\":\"m\","
        "\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" +
        (served.quiz ? quiz_[static_cast<std::size_t>(events_of_stream - served.events_left)]
                     : " t" + std::to_string(now_us())) +
        "\"},\"finish_reason\":null}]}\n\n";
    --served.events_left;
    if (served.events_left == 0)
      event +=
          "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"model\":\"m\",\"choices\":[{\"index\":0,"
          "\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":20,\"completion_tokens\":50,"
          "\"total_tokens\":70}}\n\ndata: [DONE]\n\n";
    char size[20];
    std::snprintf(size, sizeof size, "%zx\r\n", event.size());
    event.insert(0, size);
    event += served.events_left == 0 ? "\r\n0\r\n\r\n" : "\r\n";
    if (::send(due.handle, event.data(), event.size(), MSG_NOSIGNAL) < 0) {
      drop(due.handle);
      return;
    }
    if (served.events_left > 0)
      due_.push_back({due.at + event_every_us, due.handle, due.serial});
  }

  int listener_ = -1;
  int epoll_ = -1;
  std::uint64_t serial_ = 0;
  std::string whole_;
  std::vector<std::string> quiz_ = quiz_pieces();
  std::unordered_map<int, std::pair<std::uint64_t, Served>> connections_;
  std::deque<Due> due_;  // all waits are of one length, so that the order of arrival is the order of time
};

// ---------------------------------------------------------------- the clients

int connect_to(std::uint16_t port) {
  const int handle = ::socket(AF_INET, SOCK_STREAM, 0);
  const sockaddr_in address = loopback(port);
  if (::connect(handle, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    fail("no connection to port " + std::to_string(port));
  const int one = 1;
  ::setsockopt(handle, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  ::fcntl(handle, F_SETFL, O_NONBLOCK);
  return handle;
}

std::string request_text(bool stream, const char* key, bool quiz = false, std::size_t prompt_bytes = 0) {
  std::string prompt;
  while (prompt.size() < prompt_bytes)
    prompt += "What was said before stands here. ";
  const std::string body = std::string(R"({"model":"m","messages":[{"role":"user","content":")") + prompt + "Make " +
                           (quiz ? "a quiz" : "something") + R"(."}],"stream":)" + (stream ? "true}" : "false}");
  std::string head = "POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n";
  if (quiz)
    head += "x-plumb-contract: quiz\r\n";
  if (key != nullptr)
    head += std::string("authorization: Bearer ") + key + "\r\n";
  return head + "content-length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

struct Asking {
  std::uint64_t began = 0;
  std::size_t head_size = 0;
  std::size_t length = 0;
  std::string in;
  int events = 0;
  bool done = false;
  std::string out;            // what the socket had no room for
  std::uint64_t sent = 0;     // by the upstream: the last event
  std::uint64_t arrived = 0;  // the same, here
};

const char* wanted_status = "HTTP/1.1 200 OK";

// What does not fit waits until the socket is writable.
void send_all(int epoll, int handle, Asking& one, std::string_view text) {
  const ssize_t size = ::send(handle, text.data(), text.size(), MSG_NOSIGNAL);
  one.out = text.substr(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  if (one.out.empty())
    return;
  epoll_event event{};
  event.events = EPOLLIN | EPOLLOUT;
  event.data.fd = handle;
  ::epoll_ctl(epoll, EPOLL_CTL_MOD, handle, &event);
}

void send_rest(int epoll, int handle, Asking& one) {
  const std::string rest = std::move(one.out);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = handle;
  ::epoll_ctl(epoll, EPOLL_CTL_MOD, handle, &event);
  send_all(epoll, handle, one, rest);
}

std::uint64_t part(std::vector<std::uint64_t>& values, double share) {
  if (values.empty())
    return 0;
  const auto at = static_cast<std::size_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
  return values[at];
}

// The answer is whole: a length, or chunks to their end.
bool is_whole(Asking& asking) {
  if (asking.head_size == 0) {
    const std::size_t end = asking.in.find("\r\n\r\n");
    if (end == std::string::npos)
      return false;
    asking.head_size = end + 4;
    if (asking.in.compare(0, 12, wanted_status, 12) != 0)
      fail("answered: " + asking.in.substr(0, 300));
    std::string head = asking.in.substr(0, end);
    std::transform(head.begin(), head.end(), head.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    const std::size_t at = head.find("content-length:");
    asking.length =
        at == std::string::npos ? 0 : static_cast<std::size_t>(std::strtoull(head.c_str() + at + 15, nullptr, 10));
  }
  if (asking.length != 0)
    return asking.in.size() >= asking.head_size + asking.length;
  return asking.in.size() >= 5 && asking.in.compare(asking.in.size() - 5, 5, "0\r\n\r\n") == 0;
}

void run_requests(std::uint16_t port, int count, double seconds, const char* key, std::size_t prompt_bytes) {
  const std::string text = request_text(false, key, false, prompt_bytes);
  const int epoll = ::epoll_create1(0);
  std::unordered_map<int, Asking> asking;
  for (int i = 0; i < count; ++i) {
    const int handle = connect_to(port);
    add_to(epoll, handle, EPOLLIN);
    asking[handle].began = now_us();
    send_all(epoll, handle, asking[handle], text);
  }
  std::vector<std::uint64_t> times;
  times.reserve(1 << 20);
  const std::uint64_t began = now_us();
  const std::uint64_t warm = began + static_cast<std::uint64_t>(seconds * 100'000);
  const std::uint64_t until = began + static_cast<std::uint64_t>(seconds * 1e6);
  std::vector<epoll_event> events(1024);
  char buffer[65536];
  std::uint64_t measured = 0;
  while (now_us() < until) {
    const int ready = ::epoll_wait(epoll, events.data(), static_cast<int>(events.size()), 1000);
    for (int i = 0; i < ready; ++i) {
      const int handle = events[static_cast<std::size_t>(i)].data.fd;
      Asking& one = asking[handle];
      if ((events[static_cast<std::size_t>(i)].events & EPOLLOUT) != 0 && !one.out.empty())
        send_rest(epoll, handle, one);
      if ((events[static_cast<std::size_t>(i)].events & ~EPOLLOUT) == 0)
        continue;
      const ssize_t size = ::recv(handle, buffer, sizeof buffer, 0);
      if (size <= 0)
        fail("a connection was closed");
      one.in.append(buffer, static_cast<std::size_t>(size));
      if (!is_whole(one))
        continue;
      const std::uint64_t now = now_us();
      if (now > warm) {
        times.push_back(now - one.began);
        ++measured;
      }
      one = Asking{};
      one.began = now;
      send_all(epoll, handle, one, text);
    }
  }
  const double took = static_cast<double>(now_us() - warm) / 1e6;
  std::printf("{\"requests\": %llu, \"per_s\": %.0f, \"p50_us\": %llu, \"p99_us\": %llu}\n",
              static_cast<unsigned long long>(measured), static_cast<double>(measured) / took,
              static_cast<unsigned long long>(part(times, 0.5)), static_cast<unsigned long long>(part(times, 0.99)));
}

// At a moment when every connection is busy a request waits for one, and its time has begun.
void run_paced(std::uint16_t port, int count, double seconds, double rate, const char* key) {
  const std::string text = request_text(false, key);
  const int epoll = ::epoll_create1(0);
  std::unordered_map<int, Asking> asking;
  std::vector<int> free;
  for (int i = 0; i < count; ++i) {
    free.push_back(connect_to(port));
    add_to(epoll, free.back(), EPOLLIN);
  }
  const auto total = static_cast<std::uint64_t>(rate * seconds);
  const std::uint64_t began = now_us();
  const auto due_us = [&](std::uint64_t number) {
    return began + static_cast<std::uint64_t>(static_cast<double>(number) * 1e6 / rate);
  };
  std::vector<std::uint64_t> times;
  std::uint64_t sent = 0;
  std::uint64_t answered = 0;
  std::vector<epoll_event> events(1024);
  char buffer[65536];
  while (answered < total) {
    std::uint64_t now = now_us();
    while (sent < total && !free.empty() && due_us(sent) <= now) {
      const int handle = free.back();
      free.pop_back();
      asking[handle] = Asking{};
      asking[handle].began = due_us(sent++);
      (void)::send(handle, text.data(), text.size(), MSG_NOSIGNAL);
    }
    timespec wait{1, 0};
    if (sent < total && !free.empty()) {
      now = now_us();
      const std::uint64_t left = due_us(sent) - std::min(due_us(sent), now);
      wait = {static_cast<time_t>(left / 1'000'000), static_cast<long>(left % 1'000'000 * 1'000)};
    }
    const int ready = ::epoll_pwait2(epoll, events.data(), static_cast<int>(events.size()), &wait, nullptr);
    for (int i = 0; i < ready; ++i) {
      const int handle = events[static_cast<std::size_t>(i)].data.fd;
      Asking& one = asking[handle];
      const ssize_t size = ::recv(handle, buffer, sizeof buffer, 0);
      if (size <= 0)
        fail("a connection was closed");
      one.in.append(buffer, static_cast<std::size_t>(size));
      if (!is_whole(one))
        continue;
      times.push_back(now_us() - one.began);
      ++answered;
      free.push_back(handle);
    }
    if (now_us() > began + static_cast<std::uint64_t>((seconds + 30) * 1e6))
      fail("the answers do not keep pace");
  }
  const double took = static_cast<double>(now_us() - began) / 1e6;
  std::printf("{\"requests\": %llu, \"per_s\": %.0f, \"p50_us\": %llu, \"p99_us\": %llu}\n",
              static_cast<unsigned long long>(total), static_cast<double>(total) / took,
              static_cast<unsigned long long>(part(times, 0.5)), static_cast<unsigned long long>(part(times, 0.99)));
}

void read_stream(Asking& one, const char* buffer, std::size_t size, std::vector<std::uint64_t>& delays,
                 std::vector<std::uint64_t>& jitter) {
  const std::uint64_t now = now_us();
  one.in.append(buffer, size);
  std::size_t at = 0;
  while (true) {
    const std::size_t mark = one.in.find("\" t", at);
    if (mark == std::string::npos || one.in.find('"', mark + 3) == std::string::npos)
      break;
    const std::uint64_t sent = std::strtoull(one.in.c_str() + mark + 3, nullptr, 10);
    if (sent <= now)
      delays.push_back(now - sent);
    if (one.sent != 0) {
      const auto between = static_cast<std::int64_t>(now - one.arrived) - static_cast<std::int64_t>(sent - one.sent);
      jitter.push_back(static_cast<std::uint64_t>(between < 0 ? -between : between));
    }
    one.sent = sent;
    one.arrived = now;
    ++one.events;
    at = mark + 3;
  }
  if (one.in.find("\"error\"") != std::string::npos)
    fail("answered: " + one.in.substr(0, 600));
  one.done = one.in.find("data: [DONE]") != std::string::npos;
  if (at > 0)
    one.in.erase(0, at);
}

void run_streams(std::uint16_t port, int count, int rounds, const char* key, bool quiz) {
  const std::string text = request_text(true, key, quiz);
  const int epoll = ::epoll_create1(0);
  std::unordered_map<int, Asking> asking;
  std::vector<std::uint64_t> delays;
  std::vector<std::uint64_t> jitter;
  std::vector<int> handles;
  for (int i = 0; i < count; ++i) {
    handles.push_back(connect_to(port));
    add_to(epoll, handles.back(), EPOLLIN);
  }
  std::uint64_t events_read = 0;
  std::uint64_t streams = 0;
  std::vector<epoll_event> events(1024);
  char buffer[65536];
  const std::uint64_t began = now_us();
  for (int round = 0; round < rounds; ++round) {
    for (const int handle : handles) {
      asking[handle] = Asking{};
      (void)::send(handle, text.data(), text.size(), MSG_NOSIGNAL);
    }
    int open = count;
    const std::uint64_t until = now_us() + 60'000'000;
    while (open > 0 && now_us() < until) {
      const int ready = ::epoll_wait(epoll, events.data(), static_cast<int>(events.size()), 1000);
      for (int i = 0; i < ready; ++i) {
        const int handle = events[static_cast<std::size_t>(i)].data.fd;
        Asking& one = asking[handle];
        const ssize_t size = ::recv(handle, buffer, sizeof buffer, 0);
        if (size <= 0)
          fail("a stream was closed after " + std::to_string(one.events) + " events");
        const bool was_done = one.done;
        read_stream(one, buffer, static_cast<std::size_t>(size), delays, jitter);
        if (!one.done || was_done)
          continue;
        --open;
        ++streams;
        events_read += events_of_stream;
        if (!quiz && one.events != events_of_stream)
          fail("a stream had " + std::to_string(one.events) + " events");
      }
    }
    if (open > 0)
      fail(std::to_string(open) + " streams did not end");
  }
  const double took = static_cast<double>(now_us() - began) / 1e6;
  std::printf(
      "{\"streams\": %llu, \"events\": %llu, \"seconds\": %.2f, \"p50_us\": %llu, \"p99_us\": %llu, "
      "\"jitter_p50_us\": %llu, \"jitter_p99_us\": %llu}\n",
      static_cast<unsigned long long>(streams), static_cast<unsigned long long>(events_read), took,
      static_cast<unsigned long long>(part(delays, 0.5)), static_cast<unsigned long long>(part(delays, 0.99)),
      static_cast<unsigned long long>(part(jitter, 0.5)), static_cast<unsigned long long>(part(jitter, 0.99)));
}

}  // namespace

int main(int argc, char** argv) {
  ::signal(SIGPIPE, SIG_IGN);
  raise_file_limit();
  const std::string_view what = argc > 1 ? argv[1] : "";
  const auto port = static_cast<std::uint16_t>(argc > 2 ? std::atoi(argv[2]) : 0);
  if (what == "upstream" && argc == 3)
    Provider(port).serve();
  if (what == "paced" && argc >= 6) {
    run_paced(port, std::atoi(argv[3]), std::atof(argv[4]), std::atof(argv[5]), argc > 6 ? argv[6] : nullptr);
    return 0;
  }
  if ((what == "requests" || what == "flood" || what == "streams" || what == "quizzes") && argc >= 5) {
    const char* key = argc > 5 ? argv[5] : nullptr;
    if (what == "flood")
      wanted_status = "HTTP/1.1 401 Unauthorized";
    if (what == "requests" || what == "flood")
      run_requests(port, std::atoi(argv[3]), std::atof(argv[4]), key,
                   argc > 6 ? static_cast<std::size_t>(std::atoi(argv[6])) : 0);
    else
      run_streams(port, std::atoi(argv[3]), std::atoi(argv[4]), key, what == "quizzes");
    return 0;
  }
  fail(
      "usage: proxy_load upstream PORT | requests PORT CONNECTIONS SECONDS [KEY [BYTES]] | "
      "paced PORT CONNECTIONS SECONDS RATE [KEY] | streams PORT STREAMS ROUNDS [KEY]");
}
