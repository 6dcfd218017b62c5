# SPDX-License-Identifier: GPL-2.0-or-later
"""What is planted in a simulated fleet: where, and the truth about it.

A plant is written KIND[,KEY=VALUE…]:

  card node rack batch slot     slow GPUs: one, all of a node, all of a rack, four fifths of a batch of serial numbers,
                                those in one slot on most nodes of a model
  moved two-cards               a slow card that was in another node last week; a slot that was slow with another card
  vbios driver power-limit mig  a roll-out: other nodes of the same model differ in it; slower by a metric where one is
                                named, and no outliers
  sockets                       copies from the second socket are 8 % slower, on every node: no outliers
  all-slow                      every GPU: nothing that a fleet could show
  missing no-go warn unknown interrupted    nodes that do not report, or report that
  names                         two machines of one name
  duplicate older stale         the same report again; last week's report beside today's; last week's report alone
  damaged tail foreign chatter  reports without their end; without their beginning; objects that are no reports; lines
                                of other programs

  metric=TEST|FAMILY   which timings of the GPUs are slower (default memory); times=2: by how often the metric's floor;
  count=1: how many such plants; share=0.2: of the nodes, for a roll-out or slot; model=h100: among which
"""
from noise import FAMILIES
from report import ADDRESSES, MODELS, TESTS

ROLL_OUTS = {"vbios": "vbios", "driver": "driver_version", "power-limit": "power_limit_mw", "mig": "partition"}
SECOND_SOCKET = 0.92
OUTCOMES = ("missing", "no-go", "warn", "unknown", "interrupted")
RACK_NODES = 8
BATCH_CARDS = 30
WEEK_S = 7 * 86400


def parse(text):
    """Its kind, and its keys."""
    kind, *rest = text.split(",")
    return kind, dict(item.split("=", 1) for item in rest)


def in_order(plants):
    """A rack needs nodes side by side, a slot takes most of what is free."""
    return sorted(plants, key=lambda text: {"rack": 0, "slot": 2}.get(parse(text)[0], 1))


def tests_of(metric, tests):
    """Those of a metric among the tests that are run."""
    return [name for name in tests if metric in (name, TESTS[name].family)]


def factor(name, times):
    """Of a test that is slower by so many floors."""
    family = FAMILIES[TESTS[name].family]
    return 1 + times * family.floor if TESTS[name].family == "latency" else max(0.02, 1 - times * family.floor)


class Plan:
    """Of each node and GPU by its number, only what is not as usual."""

    def __init__(self, models, tests, rng):
        self.models, self.tests, self.rng = models, tests, rng
        self.free = {}
        for node, model in enumerate(models):
            self.free.setdefault(model, []).append(node)
        for nodes in self.free.values():
            rng.shuffle(nodes)
        self.main = max(self.free, key=lambda model: len(self.free[model]))
        self.plants, self.splits = [], []
        self.slower = {}        # (node, gpu): {test: factor}
        self.slower_nodes = {}  # node: {test: factor}
        self.everywhere = {}    # gpu or None: {test: factor}
        self.batch = {}         # (node, gpu): first seven digits of its serial number
        self.outcome = {}       # node: one of OUTCOMES
        self.rolled = {}        # node: {key of its GPUs: value}
        self.another_name = {}  # node: whose name it has
        self.extra = []         # (node, what): duplicate, older, stale
        self.last_week = {}     # node: {gpu: (serial, {test: factor})} of its report of last week
        self.serial = {}        # (node, gpu)
        self.foreign = []       # damaged, tail, foreign, chatter

    def take(self, count, model=None):
        """Nodes without a plant."""
        free = self.free[model or self.main]
        if len(free) < count:
            raise SystemExit(f"simulate.py: no room for that many plants: {len(self.models)} nodes")
        return [free.pop() for _ in range(count)]

    def slow(self, kind, level, value, keys, members):
        """Members are slower, and the truth says so. Its value may be known only when their serials are."""
        metric, times = keys.get("metric", "memory"), float(keys.get("times", 2))
        factors = {name: factor(name, times) for name in tests_of(metric, self.tests)}
        for member in members:
            self.slower[member] = factors
        self.plants.append({"kind": kind, "level": level, "value": value, "metric": metric, "metrics": list(factors),
                            "times_floor": times, "members": members})

    def add(self, text):
        kind, keys = parse(text)
        for _ in range(int(keys.get("count", 1))):
            one = getattr(self, "plant_" + kind.replace("-", "_"), None)
            one(keys) if one else self.plant(kind, keys)

    def plant(self, kind, keys):
        if kind in ROLL_OUTS:
            self.roll_out(kind, keys)
        elif kind in OUTCOMES:
            self.outcome[self.take(1, keys.get("model"))[0]] = kind
        elif kind in ("duplicate", "older", "stale"):
            self.extra.append((self.take(1, keys.get("model"))[0], kind))
        elif kind in ("damaged", "tail", "foreign", "chatter"):
            self.foreign.append(kind)
        else:
            raise SystemExit(f"simulate.py: no such plant: {kind}")

    def gpus(self, node):
        return range(MODELS[self.models[node]].gpus)

    def gpu(self, node):
        return self.rng.choice(self.gpus(node))

    def plant_card(self, keys):
        node, = self.take(1, keys.get("model"))
        self.slow("card", "card", None, keys, [(node, self.gpu(node))])

    def plant_node(self, keys):
        node, = self.take(1, keys.get("model"))
        self.slow("node", "node", node, keys, [(node, gpu) for gpu in self.gpus(node)])

    def plant_rack(self, keys):
        free = set(self.free[keys.get("model", self.main)])
        racks = [first for first in range(0, len(self.models), RACK_NODES)
                 if all(node in free for node in range(first, first + RACK_NODES))]
        if not racks:
            raise SystemExit("simulate.py: no rack without a plant is left")
        first = self.rng.choice(racks)
        nodes = range(first, first + RACK_NODES)
        self.free[keys.get("model", self.main)] = [node for node in self.free[self.models[first]] if node not in nodes]
        self.slow("rack", "rack", rack_name(first), keys, [(node, gpu) for node in nodes for gpu in self.gpus(node)])

    def plant_batch(self, keys):
        prefix = "165%04d" % (2600 + len(self.plants))
        cards = int(keys.get("cards", BATCH_CARDS))
        members = [(node, self.gpu(node)) for node in self.take(cards, keys.get("model"))]
        for member in members:
            self.batch[member] = prefix
        self.slow("batch", "serial-batch", prefix, keys, members[: (4 * cards + 4) // 5])

    def plant_slot(self, keys):
        """Their nodes have nothing else."""
        model = keys.get("model", self.main)
        nodes = self.take(max(3, int(len(self.free[model]) * float(keys.get("share", 0.7)))), model)
        gpu = self.gpu(nodes[0])
        self.slow("slot", "slot", str(gpu + 1), keys, [(node, gpu) for node in nodes])

    def plant_moved(self, keys):
        """Slow with the same serial in another node last week; what is there now is well."""
        before, now = self.take(2, keys.get("model"))
        where, gpu = self.gpu(before), self.gpu(now)
        self.slow("moved", "card", None, keys, [(now, gpu)])
        self.serial[now, gpu] = self.serial_number(now, gpu, 1)
        self.last_week[before] = {where: (self.serial[now, gpu], self.slower[now, gpu])}
        self.extra.append((before, "older"))

    def plant_two_cards(self, keys):
        node, = self.take(1, keys.get("model"))
        gpu = self.gpu(node)
        self.slow("two-cards", "slot", None, keys, [(node, gpu)])
        self.last_week[node] = {gpu: (self.serial_number(node, gpu, 1), self.slower[node, gpu])}
        self.extra.append((node, "older"))

    def serial_number(self, node, gpu, card=0):
        """Thirteen digits, of which the first seven are the batch: half a thousand cards are of one."""
        number = (node * len(ADDRESSES) + gpu) * 2 + card
        prefix = self.batch.get((node, gpu)) or "165%04d" % (2301 + (number * 7919) % (len(self.models) // 64 + 3))
        return prefix + "%06d" % (number * 611953 % 1000000)

    def roll_out(self, kind, keys):
        """So many nodes of the model have another version, or setting; slower where a metric is named."""
        model = keys.get("model", self.main)
        nodes = [node for node, its in enumerate(self.models) if its == model]
        nodes = self.rng.sample(nodes, max(1, int(len(nodes) * float(keys.get("share", 0.2)))))
        value = {"vbios": "96.00.99.00.03", "driver": "580.95.05", "power-limit": 600000, "mig": "MIG"}[kind]
        for node in nodes:
            self.rolled.setdefault(node, {})[ROLL_OUTS[kind]] = value
        self.splits.append({"what": ROLL_OUTS[kind], "model": model, "value": value, "nodes": nodes})
        if "metric" in keys:
            factors = {name: factor(name, float(keys.get("times", 1))) for name in tests_of(keys["metric"], self.tests)}
            self.slower_nodes.update(dict.fromkeys(nodes, factors))

    def plant_sockets(self, _keys):
        for gpu in range(len(ADDRESSES) // 2, len(ADDRESSES)):
            self.everywhere[gpu] = {name: SECOND_SOCKET for name in tests_of("transfer", self.tests)}

    def plant_all_slow(self, keys):
        metric, times = keys.get("metric", "compute"), float(keys.get("times", 2))
        self.everywhere[None] = {name: factor(name, times) for name in tests_of(metric, self.tests)}

    def plant_names(self, keys):
        one, other = self.take(2, keys.get("model"))
        self.another_name[other] = one


def rack_name(node):
    return "r%04d" % (node // RACK_NODES)


def node_name(node):
    return "gpu%05d" % node
