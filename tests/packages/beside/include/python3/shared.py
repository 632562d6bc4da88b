def twice(number):
    return 2 * number
