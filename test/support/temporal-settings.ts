/**
 * Dynamic settings of the Temporal server of tests. Half of what it costs there it does for each namespace, and a product of a
 * test has one of its own: a worker for its schedules, and metrics that are counted up every second.
 */
export const TEST_SETTINGS = [
  // As the product's own servers have it.
  ['matching.enableFairness', 'true'],
  ['worker.perNamespaceWorkerCount', '0'],
  ['metrics.breakdownByTaskQueue', 'false'],
  ['metrics.breakdownByPartition', 'false'],
  ['metrics.breakdownByBuildID', 'false'],
  // The tasks of a queue lie in one place: by default the server searches for them in four.
  ['matching.numTaskqueueReadPartitions', '1'],
  ['matching.numTaskqueueWritePartitions', '1'],
  // Search attributes are made right before they are used, as the dev server allows by itself.
  ['system.forceSearchAttributesCacheRefreshOnRead', 'true'],
] as const;
