export function greeting() {
  return 'Hello, world';
}
