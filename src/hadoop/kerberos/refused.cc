// The functions of libc that libkrb5 must not use: in a static program they would load modules of the machine. Our
// tools/krb5-env makes the archive call these instead. They fail, so libkrb5 resolves no names and looks up no users.
#include <cerrno>

struct addrinfo;
struct passwd;
struct servent;
struct sockaddr;

extern "C" {

int howdah_krb5_getaddrinfo(const char*, const char*, const addrinfo*, addrinfo** result) {
  *result = nullptr;
  return -4;  // EAI_FAIL
}

void howdah_krb5_freeaddrinfo(addrinfo*) {}

int howdah_krb5_getnameinfo(const sockaddr*, unsigned, char*, unsigned, char*, unsigned, int) {
  return -4;  // EAI_FAIL
}

servent* howdah_krb5_getservbyname(const char*, const char*) { return nullptr; }

int howdah_krb5_getpwnam_r(const char*, passwd*, char*, unsigned long, passwd** result) {
  *result = nullptr;
  return ENOENT;
}

int howdah_krb5_getpwuid_r(unsigned, passwd*, char*, unsigned long, passwd** result) {
  *result = nullptr;
  return ENOENT;
}

}  // extern "C"
