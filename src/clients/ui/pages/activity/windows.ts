/** The windows of the page, in hours. */
export const windows: [hours: string, label: string][] = [
  ['6', '6 hours'],
  ['24', 'Day'],
  ['72', '3 days'],
  ['168', 'Week'],
];
