// A provider behind TLS, through the data port: it gets the call and its key where a known authority vouches for it by
// its name, and otherwise not a byte of either.
#include <doctest/doctest.h>
#include <openssl/ssl.h>
#include <stdlib.h>

#include <filesystem>
#include <string>
#include <thread>

#include "native/provider/endpoint.hpp"
#include "tests/native/certificates.hpp"
#include "tests/native/proxied.hpp"

using namespace plumb;
using namespace plumb::test;

namespace {

// Takes one connection, with that certificate; answers the request that comes, and keeps what it was sent.
class TlsProvider {
 public:
  explicit TlsProvider(const Certificate& certificate) : context_(SSL_CTX_new(TLS_server_method()), SSL_CTX_free) {
    REQUIRE(SSL_CTX_use_certificate_file(context_.get(), certificate.certificate.c_str(), SSL_FILETYPE_PEM) == 1);
    REQUIRE(SSL_CTX_use_PrivateKey_file(context_.get(), certificate.key.c_str(), SSL_FILETYPE_PEM) == 1);
    thread_ = std::thread([this] { serve(); });
  }
  ~TlsProvider() { thread_.join(); }

  const Listener& at() const { return listener_; }
  // Once the connection is over.
  const std::string& got() {
    thread_.join();
    thread_ = std::thread([] {});
    return got_;
  }

 private:
  void serve() {
    const Socket one = listener_.accept();
    const std::shared_ptr<SSL> tls(SSL_new(context_.get()), SSL_free);
    SSL_set_fd(tls.get(), one.handle());
    if (SSL_accept(tls.get()) != 1)
      return;
    char buffer[4096];
    for (int size = 0; (size = SSL_read(tls.get(), buffer, sizeof buffer)) > 0;) {
      got_.append(buffer, static_cast<std::size_t>(size));
      if (got_.ends_with("}"))
        break;
    }
    const std::string answer = whole_answer(200, whole_text("by TLS"), "connection: close\r\n");
    if (!got_.empty())
      (void)SSL_write(tls.get(), answer.data(), static_cast<int>(answer.size()));
    (void)SSL_shutdown(tls.get());
  }

  Listener listener_;
  std::shared_ptr<SSL_CTX> context_;
  std::string got_;
  std::thread thread_;
};

struct TrustedFile {
  explicit TrustedFile(const std::string& file) { ::setenv("SSL_CERT_FILE", file.c_str(), 1); }
  ~TrustedFile() { ::unsetenv("SSL_CERT_FILE"); }
};

std::string ask(TlsProvider& provider) {
  const Proxied proxied({{&provider.at()}}, [&](proxy::Settings& settings) {
    settings.upstreams[0].endpoint.base =
        provider::read_base_url("https://localhost:" + std::to_string(provider.at().port()) + "/v1").value();
    settings.private_upstreams = {"127.0.0.0/8", "::1/128"};
  });
  return proxied.answer(post(chat, chat_body(false)));
}

}  // namespace

TEST_CASE("proxy TLS: a provider is told the call and the key where its certificate is good, and else nothing") {
  char name[] = "/tmp/plumb-tls-XXXXXX";
  REQUIRE(::mkdtemp(name) != nullptr);
  const std::string folder = name;
  const std::string elsewhere = folder + "/elsewhere";
  std::filesystem::create_directory(elsewhere);
  const Authority authority(folder);
  const Authority unknown(elsewhere, "Another Authority");
  const TrustedFile trusted(authority.file());
  {
    TlsProvider provider(authority.issue());
    const std::string answer = ask(provider);
    CHECK(answer.starts_with("HTTP/1.1 200 "));
    CHECK(answer.ends_with(whole_text("by TLS")));
    CHECK(provider.got().find("authorization: Bearer sk-secret-of-the-provider\r\n") != std::string::npos);
  }
  struct Case {
    const char* what;
    Certificate certificate;
    const char* told;
  };
  for (const Case& one :
       {Case{"another name", authority.issue({.names = "DNS:provider.example"}), "is for another name"},
        Case{"expired", authority.issue({.from_days = -3, .to_days = -1}), "certificate has expired"},
        Case{"not yet valid", authority.issue({.from_days = 1, .to_days = 2}), "certificate is not yet valid"},
        Case{"signed by itself", self_signed(folder), "self-signed certificate"},
        Case{"of an authority that nobody knows", unknown.issue(), "unable to get local issuer certificate"}}) {
    CAPTURE(one.what);
    TlsProvider provider(one.certificate);
    const std::string answer = ask(provider);
    CHECK(answer.starts_with("HTTP/1.1 502 "));
    CHECK(answer.find("its certificate is not accepted: ") != std::string::npos);
    CHECK_MESSAGE(answer.find(one.told) != std::string::npos, answer);
    CHECK(answer.find("sk-secret") == std::string::npos);
    CHECK(provider.got().empty());
  }
  std::filesystem::remove_all(folder);
}
