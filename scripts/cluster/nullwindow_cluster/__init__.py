"""Runs nullwindow's large jobs on a cluster. Reading order: engine (a shard on one machine), folder (what is done),
pool (shards on Dask), jobs (which shards a job has), expand (a position solved in pieces), cli."""
