"""A page in headless Chromium."""
import os
import shutil

import pytest

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")


def open_browser(width=1280, height=900):
    if not CHROMIUM or not DRIVER:
        pytest.skip("no chromium with its driver here: tools/setup.sh test installs them")
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     "--hide-scrollbars", "--window-size=%d,%d" % (width, height)):
        options.add_argument(argument)
    options.binary_location = CHROMIUM
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    # Without the sanitizers that our own processes may have been given.
    env = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    browser = webdriver.Chrome(options=options, service=Service(DRIVER, env=env))
    browser.set_page_load_timeout(60)
    return browser


def look(browser, width=1280, height=900, dark=False):
    """How big the window is, and which scheme its user likes."""
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
        {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})


def until(browser, script, seconds=60):
    """What the script returns, once that is something."""
    from selenium.webdriver.support.ui import WebDriverWait
    return WebDriverWait(browser, seconds, poll_frequency=0.1).until(
        lambda b: b.execute_script(script))
