import { useNavigate, type UseNavigateResult } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

/**
 * Navigates to what a request has made, unless the person has left since: by closing the dialog, which unmounts what
 * called this or sets `isOpen` to false, or by opening another page.
 */
export function useNavigateIfHere(isOpen = true): UseNavigateResult<string> {
  const navigate = useNavigate();
  const isHere = useRef(isOpen);
  useEffect(() => {
    isHere.current = isOpen;
    return () => {
      isHere.current = false;
    };
  }, [isOpen]);
  return async (options) => {
    if (isHere.current) await navigate(options);
  };
}
