"""Work units at processors: the distribution has the mean of the network, and no more work units than clients."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ironlake.models.command import model_path
from ironlake.models.fill_work_units import load_analysis
from ironlake.models.filling import SolvedStep
from ironlake.models.model_file import read_model
from ironlake.models.ready_work import of_both, samples_above, work_units
from property_settings import examples

SETTINGS = examples(60)


def mean(shares: np.ndarray) -> float:
    return float((shares * np.arange(shares.shape[1])).sum())


@SETTINGS
@given(servers=st.integers(1, 30), utilisation=st.floats(0.001, 0.98), waits=st.floats(0, 40))
def test_open_loads_have_the_mean_of_the_network(servers: int, utilisation: float, waits: float) -> None:
    busy = np.array([servers * utilisation])
    full = work_units(servers, busy, busy, None)[0, servers:].sum()
    there = busy + waits * full
    shares = work_units(servers, busy, there, None)
    assert (shares >= 0).all()
    assert shares.sum() == pytest.approx(1, abs=2e-5)
    assert mean(shares) == pytest.approx(there[0], rel=0.002)


@SETTINGS
@given(servers=st.integers(1, 30), clients=st.integers(1, 3000), utilisation=st.floats(0.001, 1), waits=st.floats(0, 1))
def test_closed_loads_have_no_more_work_units_than_clients(
    servers: int, clients: int, utilisation: float, waits: float
) -> None:
    busy = np.array([min(servers, clients) * utilisation])
    # So many can only wait while all processors are busy.
    room = max(clients - servers, 0) * utilisation ** (2 * servers)
    there = busy + waits * room
    shares = work_units(servers, busy, there, clients)
    assert (shares >= 0).all()
    assert shares.shape[1] <= clients + 1
    assert shares.sum() == pytest.approx(1, abs=1e-9)
    if clients <= servers:
        assert mean(shares) == pytest.approx(busy[0], rel=1e-6)


def repaired(servers: int, clients: int, think_s: float, service_s: float) -> np.ndarray:
    """The machine repair model by its balance: clients that think come, the processors that are busy end a request."""
    shares = [1.0]
    for n in range(clients):
        shares.append(shares[-1] * (clients - n) / think_s * service_s / min(n + 1, servers))
    return np.array(shares) / sum(shares)


@SETTINGS
@given(servers=st.integers(1, 20), clients=st.integers(1, 150), service_s=st.floats(0.01, 1))
def test_clients_that_think_are_those_of_the_machine_repair_model(servers: int, clients: int, service_s: float) -> None:
    exact = repaired(servers, clients, 1.0, service_s)
    numbers = np.arange(clients + 1)
    busy, there = (np.array([(exact * found).sum()]) for found in (np.minimum(numbers, servers), numbers))
    shares = work_units(servers, busy, there, clients)[0]
    assert len(shares) == clients + 1
    assert np.abs(shares - exact).max() < 1e-4


@pytest.mark.parametrize(("clients", "waiting"), [(60, 40.0), (1000, 900.0), (20_000, 15_000.0)])
def test_full_processors_have_the_clients_that_do_not_think(clients: int, waiting: float) -> None:
    shares = work_units(4, np.array([4.0]), np.array([4 + waiting]), clients)
    assert mean(shares) == pytest.approx(4 + waiting, rel=1e-4)


def test_samples_are_whole_and_lose_none() -> None:
    one, other = (work_units(2, np.array([load]), np.array([load]), None) for load in (0.3, 1.2))
    both = of_both(one, other)
    assert mean(both) == pytest.approx(1.5, rel=1e-4)
    above = samples_above(both, np.array([900.0]))
    assert above.tolist() == np.floor(above).tolist()
    assert (np.diff(above, axis=1) <= 0).all()
    assert above.sum() / 900 == pytest.approx(1.5, rel=0.01)
    assert above[0, -1] == 0


@pytest.mark.slow
def test_a_model_prints_the_mean_of_its_network() -> None:
    """From one client up to saturation. Samples of a minute are whole: half of one is lost or won for each number of work units."""
    model = read_model(model_path("jdbc_drivers"))
    compared = 0
    for configuration in model.configurations.values():
        for number in range(configuration.steps):
            part = SolvedStep(model, configuration, number).intervals(model.start, 2, np.random.default_rng(1))
            for system in configuration.systems:
                for kind, units in load_analysis(part, system)["units"].items():
                    there = part.per_s("ready", f"{system} {'CP' if kind == 'CP' else 'zIIP'}")
                    lost = (2 + np.asarray(units["work_units_max"])) / 2 / 60
                    assert (np.abs(np.asarray(units["work_units_avg"]) - there) < lost).all(), (
                        configuration.name,
                        system,
                        kind,
                    )
                    compared += 1
    assert compared > 100
