-- Ends writing under a read-write lock.
--
--   KEYS[1]  the writer          ARGV[1]  the token that took it
--   KEYS[2]  (optional) a channel on which waiting clients are told
--
-- Returns 1 when it was writing, 0 when it was not.
--
-- Guarantees: as release.lua. If the token also reads, it goes on reading, with no moment in between
-- in which another could write.

if redis.call('GET', KEYS[1]) ~= ARGV[1] then
    return 0
end
redis.call('DEL', KEYS[1])
if KEYS[2] then
    redis.call('PUBLISH', KEYS[2], ARGV[1])
end
return 1
