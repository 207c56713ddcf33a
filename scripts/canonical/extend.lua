-- Prolongs a lock that is still held.
--
--   KEYS[1]  the lock            ARGV[1]  the token that took it
--                                ARGV[2]  how long to hold it from now, in milliseconds
--
-- Returns 1 when the lock is yours until then, 0 when it is not yours any more.
--
-- Guarantees: a lock that has ended is not taken again by this, even if nobody has taken it since;
-- so 1 means that the token has held it without a gap.

if redis.call('GET', KEYS[1]) ~= ARGV[1] then
    return 0
end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
