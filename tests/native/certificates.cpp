#include "tests/native/certificates.hpp"

#include <doctest/doctest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <atomic>
#include <cstdio>

namespace plumb::test {

namespace {

constexpr long day_s = 86'400;

std::shared_ptr<EVP_PKEY> make_key() { return {EVP_EC_gen("P-256"), EVP_PKEY_free}; }

void add(X509* to, int kind, const std::string& value) {
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, kind, value.c_str());
  REQUIRE(extension != nullptr);
  X509_add_ext(to, extension, -1);
  X509_EXTENSION_free(extension);
}

std::shared_ptr<X509> make_certificate(EVP_PKEY* key, const std::string& name, const CertificateWishes& wishes) {
  static std::atomic<long> serial{1};
  const std::shared_ptr<X509> made(X509_new(), X509_free);
  ASN1_INTEGER_set(X509_get_serialNumber(made.get()), serial++);
  X509_set_version(made.get(), 2);
  X509_gmtime_adj(X509_getm_notBefore(made.get()), wishes.from_days * day_s);
  X509_gmtime_adj(X509_getm_notAfter(made.get()), wishes.to_days * day_s);
  X509_set_pubkey(made.get(), key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(made.get()), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  X509_set_issuer_name(made.get(), X509_get_subject_name(made.get()));
  return made;
}

std::FILE* open_file(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  REQUIRE(file != nullptr);
  return file;
}

Certificate write(const std::string& folder, X509* certificate, EVP_PKEY* key) {
  static std::atomic<int> number{0};
  const std::string stem = folder + "/certificate" + std::to_string(number++);
  const Certificate out{stem + ".pem", stem + ".key"};
  std::FILE* file = open_file(out.certificate);
  PEM_write_X509(file, certificate);
  std::fclose(file);
  file = open_file(out.key);
  PEM_write_PrivateKey(file, key, nullptr, nullptr, 0, nullptr, nullptr);
  std::fclose(file);
  return out;
}

}  // namespace

Authority::Authority(const std::string& folder, const std::string& name) : folder_(folder), key_(make_key()) {
  certificate_ = make_certificate(key_.get(), name, {"", -1, 2});
  add(certificate_.get(), NID_basic_constraints, "critical,CA:TRUE");
  X509_sign(certificate_.get(), key_.get(), EVP_sha256());
  file_ = write(folder, certificate_.get(), key_.get()).certificate;
}

Certificate Authority::issue(const CertificateWishes& wishes) const {
  const std::shared_ptr<EVP_PKEY> key = make_key();
  const std::shared_ptr<X509> made = make_certificate(key.get(), "a provider", wishes);
  X509_set_issuer_name(made.get(), X509_get_subject_name(certificate_.get()));
  add(made.get(), NID_subject_alt_name, wishes.names);
  X509_sign(made.get(), key_.get(), EVP_sha256());
  return write(folder_, made.get(), key.get());
}

Certificate self_signed(const std::string& folder, const CertificateWishes& wishes) {
  const std::shared_ptr<EVP_PKEY> key = make_key();
  const std::shared_ptr<X509> made = make_certificate(key.get(), "localhost", wishes);
  add(made.get(), NID_subject_alt_name, wishes.names);
  X509_sign(made.get(), key.get(), EVP_sha256());
  return write(folder, made.get(), key.get());
}

}  // namespace plumb::test
