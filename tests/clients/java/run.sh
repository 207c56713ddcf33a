#!/bin/sh
# Redisson in three versions, Jedis in two, Lettuce, Spring Data, Spring Integration and ShedLock; latchd as the program
# that embedded-redis starts. Each suite is one module of pom.xml.
# shellcheck source=tests/clients/lib.sh
. "$CLIENTS/lib.sh"

need javac java
need mvn java
need_version javac "$(javac -version | cut -d' ' -f2)" 17
toolchain_is_there
export MAVEN_OPTS=-XX:TieredStopAtLevel=1 # these are short runs
cd "$CLIENTS/java"

pinned() { # pinned module artifact: the version that the module's pom.xml asks for
    sed -n "/<artifactId>$2</{n;s:.*<version>\(.*\)</version>:\1:p;}" "$1/pom.xml" | tail -n 1
}

module() { # module name folder
    suite "$1" surefire ./module.sh "$2"
}

# A run without a test has Maven fetch and compile all that the tests need.
fetch "mvn -q -B -Dmaven.repo.local='$WORK/probe' help:help" \
    mvn -B -Dlatchd.work="$WORK" -Dtest=none -Dsurefire.failIfNoSpecifiedTests=false test

module 'the contention test itself' contention
for version in 3.11 3.16 4.7; do
    module "Redisson $(pinned redisson/$version redisson)" redisson/$version
done
module "Jedis $(pinned jedis jedis)" jedis
module "Jedis $(pinned jedis-2.9 jedis)" jedis-2.9
module "Lettuce $(pinned lettuce lettuce-core)" lettuce
module "Spring Data Redis $(pinned spring spring-data-redis), Spring Integration $(pinned spring \
    spring-integration-redis), ShedLock $(pinned spring shedlock-provider-redis-spring)" spring
module "embedded-redis $(pinned embedded-redis embedded-redis), codemonstur's" embedded-redis
module "embedded-redis $(pinned embedded-redis-ozimov embedded-redis), ozimov's" embedded-redis-ozimov
