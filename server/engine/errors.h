/*
 * Error texts that clients may match on, in Redis's words.
 */
#ifndef SERVER_ENGINE_ERRORS_H
#define SERVER_ENGINE_ERRORS_H

#define ERR_SYNTAX       BYTES("ERR syntax error")
#define ERR_WRONG_TYPE   BYTES("WRONGTYPE Operation against a key holding the wrong kind of value")
#define ERR_NOT_INTEGER  BYTES("ERR value is not an integer or out of range")
#define ERR_NOT_FLOAT    BYTES("ERR value is not a valid float")
#define ERR_NO_SUCH_KEY  BYTES("ERR no such key")
#define ERR_OVERFLOW     BYTES("ERR increment or decrement would overflow")
#define ERR_NAN_OR_INF   BYTES("ERR increment would produce NaN or Infinity")
#define ERR_OOM          BYTES("OOM command not allowed when used memory > 'maxmemory'.")
#define ERR_NOAUTH       BYTES("NOAUTH Authentication required.")
#define ERR_OUT_OF_RANGE BYTES("ERR index out of range")
#define ERR_TOO_LARGE    BYTES("ERR string exceeds maximum allowed size (proto-max-bulk-len)")
#define ERR_DB_INDEX     BYTES("ERR DB index is out of range")
#define ERR_NOSCRIPT     BYTES("NOSCRIPT No matching script. Please use EVAL.")
#define ERR_BUSY                                                                                   \
    BYTES("BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN "        \
          "NOSAVE.")
#define ERR_EXECABORT BYTES("EXECABORT Transaction discarded because of previous errors.")

/* Containers. */
#define ERR_NOT_POSITIVE     BYTES("ERR value is out of range, must be positive")
#define ERR_NOVALUES         BYTES("ERR NOVALUES option can only be used in HSCAN")
#define ERR_INVALID_CURSOR   BYTES("ERR invalid cursor")
#define ERR_HASH_NOT_INTEGER BYTES("ERR hash value is not an integer")
#define ERR_HASH_NOT_FLOAT   BYTES("ERR hash value is not a float")
#define ERR_VALUE_NAN_OR_INF BYTES("ERR value is NaN or Infinity")
#define ERR_SCORE_NAN        BYTES("ERR resulting score is not a number (NaN)")
#define ERR_SCORE_RANGE      BYTES("ERR min or max is not a float")
#define ERR_NAME_RANGE       BYTES("ERR min or max not valid string range item")
#define ERR_NO_DEBUG                                                                               \
    BYTES("ERR DEBUG command not allowed. If the enable-debug-command option is set to "           \
          "\"local\", you can run it from a local connection, otherwise you need to set this "     \
          "option in the configuration file, and then restart the server.")

#endif
