/** The name of the build that this tab runs; undefined while the UI is served from its sources. */
export function findOwnBuild(): string | undefined {
  const script = document.querySelector<HTMLScriptElement>('script[type=module][src^="/assets/"]');
  return script?.getAttribute('src')?.slice(1);
}
