-- Gives up a place in the queue of a fair lock.
--
--   KEYS[1]  the queue           ARGV[1]  the token that waits
--   KEYS[2]  their patience
--
-- Returns 1 when it was waiting, 0 when it was not. Does not touch the lock: a client that gives up
-- just as it becomes the holder also has to release.
--
-- Guarantees: those behind it move up at once, instead of after its patience.

redis.call('ZREM', KEYS[2], ARGV[1])
return redis.call('LREM', KEYS[1], 1, ARGV[1])
