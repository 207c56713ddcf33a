-- What the exporter may be given to collect more: names and numbers, in turns.
return {'time', redis.call('time')[1]}
