/** The windows of the cost report, in days. */
export const windows: [days: number, label: string][] = [
  [1, 'Today'],
  [7, '7 days'],
  [30, '30 days'],
  [90, '90 days'],
  [366, 'A year'],
];
