-- Takes a lock that its owner may take several times.
--
--   KEYS[1]  the lock            ARGV[1]  the owner (say, process and thread)
--                                ARGV[2]  how long to hold it, in milliseconds
--
-- Returns 0 when the lock is yours; otherwise how many milliseconds remain of the present owner's
-- time (-1 when it has no end).
--
-- Guarantees: at any moment at most one owner holds the lock. The lock is a hash with the owner as
-- its only field and the number of holds as the value; each success adds one hold, starts the time
-- anew for all of them, and needs one release. Unlike with acquire.lua, asking again after a lost
-- reply is one more hold.

if redis.call('EXISTS', KEYS[1]) == 1 and redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
    local left = redis.call('PTTL', KEYS[1])
    return left == 0 and 1 or left
end
redis.call('HINCRBY', KEYS[1], ARGV[1], 1)
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 0
