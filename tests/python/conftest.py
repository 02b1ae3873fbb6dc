"""Settings that all tests share. Examples are the same in every run."""
import hypothesis

hypothesis.settings.register_profile(
    "fixed", derandomize=True, database=None, deadline=None, max_examples=60,
    suppress_health_check=list(hypothesis.HealthCheck))
hypothesis.settings.load_profile("fixed")
