/*
 * OpenSSL, loaded when TLS is first asked for. Linked in the usual way it would make every start
 * 2.5 ms longer and every idle process 1.6 MB larger, TLS or not (release build, Debian 12). The
 * headers still check every call: a member has the type of the function it is named after. Only a
 * static program, which can load nothing, has it linked in.
 */
#ifndef SERVER_NET_OPENSSL_H
#define SERVER_NET_OPENSSL_H

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#define OPENSSL_FUNCTIONS(F)                                                                       \
    F(TLS_server_method)                                                                           \
    F(TLS_client_method)                                                                           \
    F(SSL_CTX_new)                                                                                 \
    F(SSL_CTX_free)                                                                                \
    F(SSL_CTX_ctrl)                                                                                \
    F(SSL_CTX_set_options)                                                                         \
    F(SSL_CTX_set_cipher_list)                                                                     \
    F(SSL_CTX_set_ciphersuites)                                                                    \
    F(SSL_CTX_use_certificate_chain_file)                                                          \
    F(SSL_CTX_use_PrivateKey_file)                                                                 \
    F(SSL_CTX_check_private_key)                                                                   \
    F(SSL_CTX_load_verify_locations)                                                               \
    F(SSL_CTX_set_verify)                                                                          \
    F(SSL_CTX_set_default_passwd_cb)                                                               \
    F(SSL_CTX_set_default_passwd_cb_userdata)                                                      \
    F(SSL_CTX_set_session_id_context)                                                              \
    F(SSL_CTX_set_timeout)                                                                         \
    F(SSL_new)                                                                                     \
    F(SSL_free)                                                                                    \
    F(SSL_set_bio)                                                                                 \
    F(SSL_set0_wbio)                                                                               \
    F(SSL_set_accept_state)                                                                        \
    F(SSL_connect)                                                                                 \
    F(SSL_read)                                                                                    \
    F(SSL_write)                                                                                   \
    F(SSL_get_error)                                                                               \
    F(SSL_shutdown)                                                                                \
    F(SSL_is_init_finished)                                                                        \
    F(BIO_new)                                                                                     \
    F(BIO_new_socket)                                                                              \
    F(BIO_s_mem)                                                                                   \
    F(BIO_free)                                                                                    \
    F(BIO_ctrl)                                                                                    \
    F(ERR_reason_error_string)                                                                     \
    F(ERR_clear_error)                                                                             \
    F(ERR_get_error)                                                                               \
    F(ERR_error_string_n)

struct openssl {
#define OPENSSL_MEMBER(name) __typeof__(&name) name;
    OPENSSL_FUNCTIONS(OPENSSL_MEMBER)
#undef OPENSSL_MEMBER
};

/* NULL, or why it cannot be had. The text is valid until the next call. */
const char *openssl_load(struct openssl *lib);

#endif
