#include "native/provider/transport_exchange.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/post.hpp>
#include <utility>

namespace plumb::provider {

namespace {

std::string seconds_text(std::uint64_t ms) {
  if (ms < 1'000) {
    return std::to_string(ms) + " ms";
  }
  std::string text = std::to_string(ms / 1'000);
  if (ms % 1'000 >= 100) {
    text += "." + std::to_string(ms % 1'000 / 100);
  }
  return text + " s";
}

}  // namespace

Exchange::Exchange(TransportState& of, ExchangeId with_id, ExchangeRequest what, const ExchangeLimits& within,
                   std::shared_ptr<ExchangeReader> tells)
    : owner(of),
      id(with_id),
      request(std::move(what)),
      limits(within),
      reader(std::move(tells)),
      deadline(in_ms(of.own ? Clock::now() : of.now(), within.deadline_ms)) {}

void Exchange::begin() {
  due = in_ms(owner.now(), limits.connect_ms);
  connection = owner.idle_connection(request.origin);
  if (connection) {
    send();
    return;
  }
  connection = std::make_shared<Connection>(owner.io);
  connection->origin = request.origin;
  Failed not_numeric;
  const asio::ip::address address = asio::ip::make_address(request.origin.host, not_numeric);
  if (!not_numeric) {
    connect(std::vector<tcp::endpoint>{tcp::endpoint(address, request.origin.port)});
    return;
  }
  // This name is the machine's own whatever a resolver says of it, or there is none (RFC 6761, section 6.3).
  if (request.origin.host == "localhost") {
    connect({tcp::endpoint(asio::ip::address_v4::loopback(), request.origin.port),
             tcp::endpoint(asio::ip::address_v6::loopback(), request.origin.port)});
    return;
  }
  resolver.emplace(owner.io);
  resolver->async_resolve(request.origin.host, std::to_string(request.origin.port), tcp::resolver::numeric_service,
                          [self = shared_from_this()](const Failed& failed, const tcp::resolver::results_type& found) {
                            if (self->over) {
                              return;
                            }
                            self->resolver.reset();
                            if (failed) {
                              self->finish(ExchangeEnd::unreachable, "the name " + self->request.origin.host +
                                                                         " is not known (" + failed.message() + ")");
                              return;
                            }
                            self->connect(std::vector<tcp::endpoint>(found.begin(), found.end()));
                          });
}

void Exchange::connect(std::vector<tcp::endpoint> to) {
  std::erase_if(to, [this](const tcp::endpoint& one) { return !reader->may_connect(one.address().to_string()); });
  if (to.empty()) {
    finish(ExchangeEnd::unreachable,
           request.origin.text() + " resolves to an address that no connection may be made to");
    return;
  }
  endpoints = std::move(to);
  asio::async_connect(
      connection->socket, endpoints, [self = shared_from_this()](const Failed& failed, const tcp::endpoint& /*to*/) {
        if (self->over) {
          return;
        }
        if (failed) {
          self->finish(ExchangeEnd::unreachable,
                       "no connection to " + self->request.origin.text() + " (" + failed.message() + ")");
          return;
        }
        self->connected();
      });
}

void Exchange::connected() {
  ++owner.connections;
  Failed ignored;
  connection->socket.set_option(tcp::no_delay(true), ignored);
  if (request.origin.tls) {
    begin_tls();
  } else if (connection->poll_plain(owner.poller)) {
    send();
  } else {
    finish(ExchangeEnd::unreachable, "the connection to " + request.origin.text() + " cannot be polled here");
  }
}

void Exchange::begin_tls() {
  connection->tls.emplace(connection->socket, owner.tls);
  Failed not_numeric;
  asio::ip::make_address(request.origin.host, not_numeric);
  if (not_numeric) {  // a name: the server must know whose certificate is wanted
    SSL_set_tlsext_host_name(connection->tls->native_handle(), request.origin.host.c_str());
  }
  Failed ignored;
  connection->tls->set_verify_callback(
      [names = asio::ssl::host_name_verification(request.origin.host)](bool good, asio::ssl::verify_context& with) {
        const bool fits = names(good, with);
        if (good && !fits) {  // else there would be no reason to tell
          ::X509_STORE_CTX_set_error(with.native_handle(), X509_V_ERR_HOSTNAME_MISMATCH);
        }
        return fits;
      },
      ignored);
  connection->tls->async_handshake(asio::ssl::stream_base::client, [self = shared_from_this()](const Failed& failed) {
    if (!self->over) {
      self->on_tls(failed);
    }
  });
}

void Exchange::on_tls(const Failed& failed) {
  if (!failed) {
    send();
    return;
  }
  const long verified = ::SSL_get_verify_result(connection->tls->native_handle());
  const std::string why = verified == X509_V_ERR_HOSTNAME_MISMATCH
                              ? "it is for another name than " + request.origin.host
                              : ::X509_verify_cert_error_string(verified);
  finish(ExchangeEnd::unreachable,
         "no TLS with " + request.origin.text() + " (" +
             (verified != X509_V_OK ? "its certificate is not accepted: " + why : failed.message()) + ")");
}

void Exchange::time_is_up(Clock::time_point now) {
  const std::string who = request.origin.text();
  if (now >= deadline) {
    finish(ExchangeEnd::deadline, "no whole answer of " + who + " within " + seconds_text(limits.deadline_ms));
  } else if (step == Step::connecting) {
    finish(ExchangeEnd::unreachable, "no connection to " + who + " within " + seconds_text(limits.connect_ms));
  } else if (step == Step::waiting) {
    finish(ExchangeEnd::timed_out, who + " sent nothing for " + seconds_text(limits.first_byte_ms));
  } else {
    finish(ExchangeEnd::timed_out,
           who + " sent nothing for " + seconds_text(limits.idle_ms) + " in the middle of its answer");
  }
}

void Exchange::finish(ExchangeEnd how, std::string message) {
  if (over) {
    return;
  }
  if (owner.starting) {  // whoever starts it does not know its id yet
    asio::post(owner.io, [self = shared_from_this(), how, message = std::move(message)]() mutable {
      self->finish(how, std::move(message));
    });
    return;
  }
  over = true;
  if (resolver) {
    resolver->cancel();
  }
  if (connection) {
    connection->user = nullptr;
    connection->close();
  }
  const std::shared_ptr<Exchange> self = shared_from_this();
  owner.active.erase(id);
  owner.active_count = owner.active.size();
  // The reader may hold whoever holds this: it goes before it is called for the last time.
  const std::shared_ptr<ExchangeReader> last = std::exchange(reader, nullptr);
  last->on_end({how, std::move(message)});
}

}  // namespace plumb::provider
