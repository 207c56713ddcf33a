-- Takes a lock for a limited time.
--
--   KEYS[1]  the lock            ARGV[1]  a token that nobody else uses
--                                ARGV[2]  how long to hold it, in milliseconds
--
-- Returns 0 when the lock is yours; otherwise how many milliseconds remain of the present holder's
-- time (-1 when it has no end), which is the longest that is worth sleeping.
--
-- Guarantees: at any moment at most one token holds the lock. Asking again with the token that
-- already holds it is safe after a lost reply: it answers 0 and the time starts anew. The lock
-- ends by itself; work that takes longer must extend it, and whoever writes to something else
-- under the lock must be able to stop when an extension fails.

local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then
    local left = redis.call('PTTL', KEYS[1])
    return left == 0 and 1 or left
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 0
