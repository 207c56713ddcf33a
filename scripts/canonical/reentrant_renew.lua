-- Prolongs reentrant locks that are still held; one call can renew many.
--
--   KEYS     the locks           ARGV[1]  the owner of all of them
--                                ARGV[2]  how long to hold them from now, in milliseconds
--
-- Returns one number per lock: 1 prolonged, 0 not yours any more.
--
-- Guarantees: a lock that has ended is not taken again. The number of holds does not change.

local renewed = {}
for i, key in ipairs(KEYS) do
    renewed[i] = redis.call('HEXISTS', key, ARGV[1])
    if renewed[i] == 1 then
        redis.call('PEXPIRE', key, ARGV[2])
    end
end
return renewed
