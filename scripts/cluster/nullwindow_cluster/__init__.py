"""Runs large jobs of nullwindow on a cluster. Reading order: engine (runs a shard on one machine), folder (the results), pool (runs
shards on Dask), jobs (splits a job into shards), expand (solves one position in pieces), cli."""
