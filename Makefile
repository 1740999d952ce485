# `make` alone explains what there is. Everything here is a short name for something Maven does.

MAVEN = mvn -B -ntp
# How many tests a module has run. Without it (.mvn/jvm.config) only those are told of that fail, and those that are skipped.
COUNTS = -Dorg.slf4j.simpleLogger.log.org.apache.maven.plugin.surefire=info
# More arguments for Maven: make test T=SelectionTest A=-Drowlock.test.postgres.version=14
A ?=
HASH := \#

.PHONY: help check long matrix fix test db sample lint mutants chaos kills upgrade rehearse-failover rehearse-alerts bench

help: ## Show this help
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-17s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo
	@echo '  A=… passes more arguments to Maven, such as'
	@echo '      A=-Drowlock.test.postgres.version=14                       (14 to 18; default 18)'
	@echo '      A=-Drowlock.test.postgres=container|embedded|<JDBC URL>    (default: what the machine can do)'
	@echo
	@echo '  bench also takes PEERS, RUNS, JOBS, SECONDS, WORKERS, URL, CHART, for W=idle QUEUES, for W=gates PARTS, for W=latency-cold JVM:'
	@echo '      make bench W=mixed PEERS=rowlock,db-scheduler,graphile-worker'
	@echo '      make bench W=idle PEERS=rowlock QUEUES=100                 (all are in docs/performance.md)'

check: ## Build and test everything, layout included: what must pass before anything lands
	$(MAVEN) verify $(A)

long: ## Random properties, races, kills, clocks, small disks: what takes too long for each build
	$(MAVEN) -Plong test $(A)

matrix: ## What could differ on another server or Spring Boot: make matrix A=-Drowlock.test.postgres.version=14
	$(MAVEN) -Pmatrix verify $(A)

fix: ## Lay out the code
	$(MAVEN) -q -N spotless:apply $(A)

# The module is the folder at the top that has the class; a method may follow after '#'.
test: CLASS = $(firstword $(subst $(HASH), ,$(T)))
test: MODULE = $(firstword $(subst /, ,$(shell find * -path '*/src/test/*' -name '$(CLASS).java')))
test: ## Run one test class: make test T=SelectionTest (or T='SelectionTest#aMethod')
	@test -n "$(T)" || { echo "Which test? make test T=SelectionTest"; exit 2; }
	@test -n "$(MODULE)" || { echo "There is no test $(CLASS) in any module"; exit 2; }
	$(MAVEN) -pl '$(MODULE)' -am test -Dtest='$(T)' -Dsurefire.failIfNoSpecifiedTests=false $(COUNTS) $(A)

db: ## Start a PostgreSQL to play with, until Ctrl-C
	@$(MAVEN) -q -pl queue-test-postgres compile exec:java $(A)

# SEED draws another run; MINUTES says how long faults go on; FAULTS are parts of names, such as clock,partition,stringtype:
# then there are only these (none: no fault at all). POISON and EXHAUST are the jobs that bring down their node,
# SNAPSHOT_HELD is what holds back vacuum beside all other faults.
chaos: ## Hurt real nodes and a real database, 30 minutes: make chaos [SEED=1] [MINUTES=5] [FAULTS=clock]
	$(MAVEN) -q -pl queue-chaos -am -Pchaos process-classes -Dchaos.seed=$(SEED) -Dchaos.minutes=$(MINUTES) -Dchaos.faults=$(FAULTS) $(A)

kills: ## How long jobs of killed nodes wait, 5 minutes: make kills [MINUTES=2] [A=-Dchaos.defaults=true]
	$(MAVEN) -q -pl queue-chaos -am -Pchaos process-classes -Dchaos.main=KillMain -Dchaos.seed=$(SEED) -Dchaos.minutes=$(MINUTES) $(A)

# FROM: a commit or tag; by default the newest release, or the last version of the library on the main line (scripts/previous).
upgrade: ## Roll nodes from the version before to this one and back, 30 seconds: make upgrade [FROM=v0.1.0] [MINUTES=5]
	@before=$$(scripts/previous $(FROM)) && set -x && \
		$(MAVEN) -q -pl queue-chaos -am -Pchaos process-classes -Dchaos.main=UpgradeMain -Dchaos.minutes=$(MINUTES) -Dchaos.before="$$before" $(A)

# LOSS is a part of: killed, cut_off, not_fenced.
rehearse-failover: ## Promote a standby under load, 15 minutes: make rehearse-failover [RUNS=1] [LOSS=killed]
	$(MAVEN) -q -pl queue-chaos -am -Pchaos process-classes -Dchaos.main=FailoverMain -Dchaos.runs=$(RUNS) -Dchaos.faults=$(LOSS) $(A)

sample: ## Build and run the sample; then open http://localhost:8080 (a second one: A=--server.port=8081)
	$(MAVEN) -q -pl sample-app -am -DskipTests package
	java -jar sample-app/target/sample-app.jar $(A)

rehearse-alerts: ## Plant faults under the sample: a real Prometheus fires the right alert and no other; about ten minutes
	$(MAVEN) -q -pl sample-app -am -DskipTests package $(A)
	scripts/rehearse-alerts

# PEERS, RUNS, JOBS, SECONDS, WORKERS, QUEUES (W=idle), PARTS (W=gates), URL (of a server), CHART (a folder), JVM (options
# of workers in processes of their own): docs/performance.md explains them.
bench: OPTIONS = $(foreach o,PEERS RUNS JOBS SECONDS WORKERS QUEUES PARTS URL CHART,$(if $($(o)),--$(shell echo $(o) | tr A-Z a-z) '$($(o))'))
bench: ## Measure beside other queues: make bench W=drain [PEERS=rowlock,db-scheduler] [RUNS=3] [URL=jdbc:…]
	@test -n "$(W)" || { echo "Which workload? make bench W=drain; more in docs/performance.md"; exit 2; }
	@$(MAVEN) -q -pl queue-benchmark -am process-classes $(A)
	@java -Xmx2g -Dbench.folder=queue-benchmark/target $(if $(JVM),-Dbench.worker.jvm='$(JVM)') -cp queue-benchmark/target/classes:$$(cat queue-benchmark/target/classpath) \
		dev.rowlock.queue.benchmark.Bench $(W) $(OPTIONS)

# C: classes of queue-core, T: tests that should notice, by default those of the package; both without dev.rowlock.queue in front.
mutants: C = internal.*
mutants: T = $(basename $(C)).*Test
mutants: ## Which changes of the code no test notices: make mutants C=internal.thread.Signal* [T=internal.thread.*Test]
	nice $(MAVEN) -pl queue-core -am -Pmutants process-test-classes -Dmutants.classes='$(C)' -Dmutants.tests='$(T)' $(A)
	@echo "queue-core/target/pit-reports/index.html shows them line by line"

lint: ## Static analysis (Error Prone, NullAway); needs a JDK 21 or later, compiles everything anew
	@JAVA_HOME=$$(scripts/jdk 21+) && export JAVA_HOME && set -x && $(MAVEN) -Plint clean compile $(A)
