"""One extra block after the last, uncounted, under profilers: why is it slow?"""
