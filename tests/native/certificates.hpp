// Certificates for tests of TLS, made when they are needed: an authority, and what it or nobody vouches for.
//
//   const Authority authority(folder);                       // folder/authority.pem: for SSL_CERT_FILE
//   const Certificate one = authority.issue({.names = "DNS:localhost"});
//   const Certificate own = self_signed(folder, {});
#pragma once

#include <memory>
#include <string>

struct evp_pkey_st;
struct x509_st;

namespace plumb::test {

struct CertificateWishes {
  std::string names = "DNS:localhost";
  int from_days = -1;
  int to_days = 1;
};

// Files of PEM.
struct Certificate {
  std::string certificate;
  std::string key;
};

class Authority {
 public:
  explicit Authority(const std::string& folder, const std::string& name = "Test Authority");
  const std::string& file() const { return file_; }
  Certificate issue(const CertificateWishes& wishes = {}) const;

 private:
  std::string folder_;
  std::string file_;
  std::shared_ptr<evp_pkey_st> key_;
  std::shared_ptr<x509_st> certificate_;
};

Certificate self_signed(const std::string& folder, const CertificateWishes& wishes = {});

}  // namespace plumb::test
