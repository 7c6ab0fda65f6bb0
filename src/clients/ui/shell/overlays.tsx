import { useRouter } from '@tanstack/react-router';
import { Suspense, useEffect, useEffectEvent } from 'react';
import { togglePause } from '../live/live.tsx';
import type { Place } from './places.ts';
import { lazyPart, reportMissingPart } from '../parts/lazy-file.ts';

const Palette = lazyPart(async () => (await import('./palette.tsx')).default);
const ShortcutSheet = lazyPart(async () => (await import('./shortcut-sheet.tsx')).default);

export type Overlay = 'palette' | 'sheet';
type OverlaysProps = {
  places: Place[];
  toPath: (place: Place) => string;
  overlay: Overlay | undefined;
  setOverlay: (overlay: Overlay | undefined) => void;
};

/** The keys that work on every page, and the dialogs that they open. */
export function Overlays({ places, toPath, overlay, setOverlay }: OverlaysProps) {
  const { history } = useRouter();
  const goTo = useEffectEvent((letter: string) => {
    const place = places.find((one) => one.letter === letter);
    if (place) history.push(toPath(place));
  });
  // The keys are listened to once, so that none is lost when a page changes the places.
  useEffect(() => {
    const controller = new AbortController();
    const openPalette = (): void => setOverlay('palette');
    const openSheet = (): void => setOverlay('sheet');
    import('./shortcuts.ts')
      .then(({ listenToShortcuts }) =>
        listenToShortcuts(controller.signal, { openPalette, openSheet, togglePause, goTo }),
      )
      .catch(reportMissingPart);
    return () => controller.abort();
  }, [setOverlay]);
  const close = (): void => setOverlay(undefined);
  return (
    <Suspense>
      {overlay === 'palette' && (
        <Palette places={places} toPath={toPath} onClose={close} openSheet={() => setOverlay('sheet')} />
      )}
      {overlay === 'sheet' && <ShortcutSheet places={places} onClose={close} />}
    </Suspense>
  );
}
