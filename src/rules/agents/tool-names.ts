export const toolDescriptions = {
  list_files: 'Lists the files of the checkout that are not ignored.',
  read_file: 'Reads a text file, or the lines from–to of it.',
  search: 'Finds lines that match a pattern in the files of the checkout.',
  edit_file: 'Replaces one exact text in a file.',
  write_file: 'Writes a file and creates its folders; replaces the previous content.',
  delete_file: 'Deletes a file.',
  run_command: 'Runs a shell command in the checkout, in a sandbox, for at most 5 minutes.',
  finish: 'Ends the step with its outcome. Call it once, as the last tool.',
};
export type ToolName = keyof typeof toolDescriptions;
export const toolNames = Object.keys(toolDescriptions) as ToolName[];
