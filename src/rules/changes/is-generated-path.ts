const generatedNames = new Set([
  'cargo.lock',
  'composer.lock',
  'flake.lock',
  'gemfile.lock',
  'go.sum',
  'npm-shrinkwrap.json',
  'package-lock.json',
  'packages.lock.json',
  'pipfile.lock',
  'pnpm-lock.yaml',
  'poetry.lock',
  'uv.lock',
  'yarn.lock',
]);
const generatedFolders = new Set(['node_modules', 'vendor', '__snapshots__', '__generated__']);
const generatedEndings = ['.min.js', '.min.css', '.js.map', '.css.map', '.pb.go', '_pb2.py', '.g.dart', '.snap'];

/** Reports whether tools write a file, so that people rarely read its changes. It judges by the path alone. */
export function isGeneratedPath(path: string): boolean {
  const segments = path.toLowerCase().split('/');
  const name = segments.at(-1) ?? '';
  return (
    generatedNames.has(name) ||
    segments.slice(0, -1).some((folder) => generatedFolders.has(folder)) ||
    generatedEndings.some((ending) => name.endsWith(ending))
  );
}
