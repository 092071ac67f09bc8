"""The XML dump of nvidia-smi."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from triage.formats import read
from triage.model import Line, Record


def records(text: str) -> list[Record]:
    return read([Line(i, one, one) for i, one in enumerate(text.strip("\n").split("\n"), 1)], "test")


DUMP = """
<nvidia_smi_log>
	<timestamp>Mon Nov 30 00:44:54 2026</timestamp>
	<driver_version>580.159.04</driver_version>
	<gpu id="00000000:00:06.0">
		<product_name>NVIDIA H200</product_name>
		<uuid>GPU-7135b1d3-9a7e-4526-762f-80a0bc7c0b3b</uuid>
		<platformInfo>
			<chassis_serial_number>N/A
			<slot_number>N/A</slot_number>
		</platformInfo>
		<clocks_event_reasons>
			<clocks_event_reason_hw_thermal_slowdown>Active</clocks_event_reason_hw_thermal_slowdown>
		</clocks_event_reasons>
		<clocks_event_reasons_counters>
			<clocks_event_reasons_counters_hw_therm_slowdown>12 us</clocks_event_reasons_counters_hw_therm_slowdown>
		</clocks_event_reasons_counters>
		<ecc_errors>
			<volatile>
				<dram_uncorrectable>3</dram_uncorrectable>
			</volatile>
		</ecc_errors>
		<fb_memory_usage>
			<used>527 MiB</used>
		</fb_memory_usage>
		<processes>
			<process_info>
				<pid>4711</pid>
				<process_name>python3</process_name>
				<used_memory>512 MiB</used_memory>
			</process_info>
		</processes>
	</gpu>
	<gpu id="00000000:00:07.0">
		<processes>
		</processes>
	</gpu>
</nvidia_smi_log>
"""


def test_a_gpu_is_a_record_with_the_paths_of_the_plain_dump() -> None:
    first, second = (one for one in records(DUMP) if one.format == "smi-query")
    paths = first.text.split("\n")
    top = "GPU 00000000:00:06.0"
    assert f"{top} / ECC Errors / Volatile / DRAM Uncorrectable : 3" in paths
    assert f"{top} / Clocks Event Reasons / HW Slowdown / HW Thermal Slowdown : Active" in paths
    assert f"{top} / Processes / Process ID / Name : python3" in paths
    assert not any("Counters" in path and path.endswith("Active") for path in paths)
    assert (first.fields["pci"], first.fields["driver"], first.fields["gpu_model"]) == (
        "0000:00:06", "580.159.04", "NVIDIA H200",
    )  # fmt: skip
    assert (first.fields["memory_used"], first.fields["processes"], first.fields["processes_memory"]) == (527, 1, 512)
    assert second.fields["processes"] == 0
    at = first.text.index("DRAM Uncorrectable")
    assert "dram_uncorrectable" in first.lines[first.line_at(at)].text


@given(st.lists(st.sampled_from(DUMP.split("\n")) | st.text(max_size=9), max_size=30))
def test_any_pieces_are_read(texts: list[str]) -> None:
    found = read([Line(i, text, text) for i, text in enumerate(texts)], "test")
    assert sorted(line.number for r in found for line in r.lines) == list(range(len(texts)))
    assert all(len(one.offsets) == len(one.lines) for one in found)
