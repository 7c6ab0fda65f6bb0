/** Takes the setup token from the fragment of the link that `npm start` prints, and removes it from the address. */
export function takeSetupToken(): string | undefined {
  const token = window.location.hash.slice(1);
  if (token === '') return undefined;
  window.history.replaceState(window.history.state, '', window.location.pathname);
  return token;
}
